import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { detectBodyFormat, toBodyParts, toTextParts } from './body.ts'

describe('the body of an email', () => {
  test.each([
    ['Hi Anna,\n\nhow are you?', 'text'],
    ['a < b and c > d', 'text'],
    ['write to <anna@example.com> or <https://example.com>', 'text'],
    ['<firstName>', 'text'],
    ['x <about> y', 'text'],
    ['<p>Hi</p>', 'html'],
    ['Hi<br>there', 'html'],
    ['Hi<br/>there', 'html'],
    ['see <A HREF="https://example.com">this</A>', 'html'],
    ['<!DOCTYPE html><html></html>', 'html'],
  ])('%j is detected as %s', (body, format) => {
    expect(detectBodyFormat(body)).toBe(format)
  })

  test('gets an HTML part with paragraphs, line breaks and links when it is written as text', () => {
    const { text, html } = toTextParts('Hi <Anna> & Bo,\r\nsee https://example.com/a?b=1&c="x".\n \n\nBye')
    expect(text).toContain('<Anna>')
    expect(html).toBe(
      '<p>Hi &lt;Anna&gt; &amp; Bo,<br>\nsee <a href="https://example.com/a?b=1&amp;c=">https://example.com/a?b=1&amp;c=</a>&quot;x&quot;.</p>\n<p>Bye</p>',
    )
    expect(toTextParts('(https://example.com/x).').html).toBe(
      '<p>(<a href="https://example.com/x">https://example.com/x</a>).</p>',
    )
  })

  test('gets a text part when it is written as HTML', async () => {
    const { text, html } = await toBodyParts(
      '<style>p { color: red }</style><h1>Hello Anna</h1><p>one<br>two</p><script>alert(1)</script><ul><li>a</li></ul><a href="https://example.com">here</a><img src="https://example.com/pixel.png">',
      'html',
      'account',
    )
    expect(html).toContain('<h1>')
    expect(text).toBe('Hello Anna\n\none\ntwo\n\n * a\n\nhere [https://example.com]')
  })

  test('has its special characters escaped in the HTML part when it is written as text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), value => {
        const { html } = toTextParts(`Hi ${value}`)
        expect(html.replace(/<\/?p>|<br>|<a href="[^"<>]*">|<\/a>/g, '')).not.toMatch(/[<>"]/)
      }),
    )
  })

  test.each([
    ['deep nesting', '<div>'.repeat(40_000)],
    ['many siblings', '<p>x</p>'.repeat(25_000)],
    ['unclosed tags', '<a '.repeat(60_000)],
    ['blank lines', '\n '.repeat(100_000)],
    ['dots after a link', `https://example.com/${'.'.repeat(190_000)}`],
  ])('has both parts even with %s', async (_name, body) => {
    const { text, html } = await toBodyParts(body, detectBodyFormat(body), 'account')
    expect(text.length + html.length).toBeGreaterThan(0)
  })
})
