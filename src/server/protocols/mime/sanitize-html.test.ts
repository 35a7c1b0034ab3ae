import { describe, expect, it } from 'vitest'
import { sanitizeHtml } from './sanitize-html.ts'

describe('sanitized HTML', () => {
  it('keeps formatted text, links, tables and images', () => {
    const html =
      '<p style="color:#333;text-align:center">Hello <b>Ada</b>, <a href="https://a.example/?x=1&amp;y=2">see</a></p>' +
      '<table border="1"><tbody><tr><td colspan="2">1</td></tr></tbody></table><img src="https://a.example/i.png" alt="i" />'
    expect(sanitizeHtml(html)).toBe(html)
  })

  it.each([
    ['a script', '<script>alert(1)</script>Hi', 'Hi'],
    ['an event handler', '<p onclick="alert(1)">Hi</p>', '<p>Hi</p>'],
    ['a link that runs a script', '<a href="java\tscript:alert(1)">Hi</a>', '<a>Hi</a>'],
    ['a data link', '<a href="data:text/html,<script>1</script>">Hi</a>', '<a>Hi</a>'],
    ['a link without a scheme', '<a href="//evil.example/">Hi</a>', '<a>Hi</a>'],
    ['a form', '<form action="https://evil.example"><input name="p"><button>OK</button></form>', 'OK'],
    ['a frame', '<iframe src="https://evil.example">x</iframe>Hi', 'Hi'],
    ['a style sheet', '<style>p{background:url(https://evil.example)}</style>Hi', 'Hi'],
    ['a style that loads a file', '<p style="background:url(https://evil.example)">Hi</p>', '<p>Hi</p>'],
    ['a style that covers the page', '<p style="position:fixed;top:0">Hi</p>', '<p>Hi</p>'],
    ['a redirect', '<meta http-equiv="refresh" content="0;url=https://evil.example">Hi', 'Hi'],
    ['a base URL', '<base href="https://evil.example/">Hi', 'Hi'],
    ['vector graphics', '<svg><script>alert(1)</script></svg>Hi', 'Hi'],
    [
      'mathematics',
      '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style></table></math>Hi',
      '<table></table>Hi',
    ],
    ['a comment', '<!-- [if mso]><p>1</p><![endif] -->Hi', 'Hi'],
    ['a hidden script', '<noscript><p title="</noscript><img src=x onerror=alert(1)>">', ''],
  ])('does not contain %s', (_what, html, clean) => {
    const sanitized = sanitizeHtml(html)
    expect(sanitized.replace(/<img[^>]*>|">/g, '')).toBe(clean)
    expect(sanitized).not.toMatch(/onerror|alert\(1\)[^"]*<\/script/)
  })

  it('has a bounded length when elements are nested very deeply', () => {
    const deep = `${'<div>'.repeat(50_000)}Hi${'</div>'.repeat(50_000)}`
    expect(sanitizeHtml(deep).length).toBeLessThan(deep.length / 10)
  })

  it('stays the same when it is sanitized again', () => {
    const html =
      '<p style="COLOR: Red; width: 10px" onclick=x>a < b & "c" <a href=\'mailto:a@b.example\'>d</a><br>'
    expect(sanitizeHtml(sanitizeHtml(html))).toBe(sanitizeHtml(html))
  })
})
