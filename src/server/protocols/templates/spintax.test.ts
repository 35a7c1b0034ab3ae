import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { expandSpintax, resolveSpintax, splitSpintax } from './spintax.ts'
import { renderTemplate } from './template.ts'

const first = () => 0
const last = () => 1 - 2 ** -49

describe('spintax', () => {
  test.each([
    ['{Hi|Hello} there', 'Hi there', 'Hello there'],
    ['{a|b}{c|d}', 'ac', 'bd'],
    ['{Hi|{Good|Fine} {day|evening}}!', 'Hi!', 'Fine evening!'],
    ['{{a|b} c|d}', '{{a|b} c|d}', '{{a|b} c|d}'],
    ['{ {a|b} c|d}', ' a c', 'd'],
    ['really{| really}', 'really', 'really really'],
    ['{Hi {{ firstName | default: "a|b}c" }}|Hello}', 'Hi {{ firstName | default: "a|b}c" }}', 'Hello'],
    ['{{{ firstName }}|there}', '{{ firstName }}', 'there'],
    ['{{% if a %}x{% endif %}|y}', '{% if a %}x{% endif %}', 'y'],
    ['{a|{{ b }}}', 'a', '{{ b }}'],
    ['{<b>a</b>|b}', '<b>a</b>', 'b'],
    ['{a\n|\nb}', 'a\n', '\nb'],
  ])('resolves %j to %j or %j', (text, one, other) => {
    expect([resolveSpintax(text, first), resolveSpintax(text, last)]).toEqual([one, other])
  })

  test.each([
    'no choice',
    '{}',
    '{ a }',
    'a | b',
    'a } b | c {',
    'if (a || b) { c }',
    ':-{ and }-:',
    '{{ firstName | default: "there" }}',
    "{{ firstName | default: '}}' }}",
    '{% if firstName %}a|b{% endif %}',
    '{% raw %}{a|b}{% endraw %}',
    '{% comment %}{a|b}{% endcomment %}',
    '<style>@media print { [lang|=en] { color: red } }</style>',
    '<p style="color: red">{ "a": { "b": 1 } }</p>',
    '<!--[if mso]>{a|b}<![endif]-->',
  ])('finds no choice in %j', text => {
    expect(resolveSpintax(text, last)).toBe(text)
    expect(splitSpintax(text)).toEqual([text])
  })

  it('keeps the text around and inside a choice', () => {
    const css = '<style>p { color: red }</style>'
    expect(resolveSpintax(`${css}{ x } {a|b} { {c|d} }`, last)).toBe(`${css}{ x } b { d }`)
  })

  test.each([
    ['Hi\n {a|b', 'line 2, column 2'],
    ['{a|{b|c}', 'line 1, column 1'],
    ['{'.repeat(30), 'line 1, column 11'],
    ['{a|b}'.repeat(400), 'more than 1000 braces and bars'],
  ])('reports the position of the error in %j', (text, place) => {
    expect(() => resolveSpintax(text, first)).toThrow(place)
  })

  it('accepts the fix that its error suggests', () => {
    const brace = resolveSpintax('{% raw %}{{% endraw %} a | b', first)
    expect(renderTemplate(brace, {})).toBe('{ a | b')
  })

  it('expands all alternatives at their positions, and splits them', () => {
    const text = 'x {a|{b|c} d} y'
    expect(expandSpintax(text)).toBe('x  a  b c  d  y')
    expect(splitSpintax(text)).toEqual(['x  y', 'a', ' d', 'b', 'c'])
  })

  it('chooses alternatives evenly', () => {
    const chosen = Array.from({ length: 300 }, (_, n) => resolveSpintax('{a|b|c}', () => n / 300))
    expect(Object.values(Object.groupBy(chosen, word => word)).map(words => words!.length)).toEqual([
      100, 100, 100,
    ])
  })

  it('handles any text quickly', () => {
    const pieces = ['{', '}', '|', '{{', '}}', '{%', '%}', '"', "'", '<!--', '<style', '{% raw %}', 'a', '\n']
    const texts = fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map(parts => parts.join(''))
    fc.assert(
      fc.property(texts, text => {
        try {
          expect(expandSpintax(text)).toHaveLength(text.length)
          for (const part of splitSpintax(text)) expect(part.length).toBeLessThanOrEqual(text.length)
        } catch (error) {
          expect(String(error)).toMatch(/line \d+, column \d+/)
        }
      }),
      { numRuns: 2_000 },
    )
    for (const piece of pieces) {
      for (const tail of ['', ' "', " '"]) {
        const long = piece.repeat(Math.floor(100_000 / piece.length)) + tail
        try {
          resolveSpintax(long, first)
        } catch (error) {
          expect(String(error)).toMatch(/line|more than/)
        }
      }
    }
  })
})
