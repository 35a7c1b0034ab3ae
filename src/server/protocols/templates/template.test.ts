import { describe, expect, test } from 'vitest'
import { AppError } from '../../kernel/errors.ts'
import {
  findUnknownVariables,
  MissingVariable,
  maxTemplateLength,
  parseTemplate,
  renderTemplate,
  type TemplateFormat,
} from './template.ts'

const anna = { firstName: 'Anna', company: { name: 'Müller & Söhne', city: '' }, seats: 12, title: null }

function getError(run: () => unknown): AppError {
  try {
    run()
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

describe('a template', () => {
  test.each<[string, string, TemplateFormat?]>([
    ['Hi {{ firstName }},', 'Hi Anna,'],
    ['{{ company.name }}: {{ seats }}', 'Müller & Söhne: 12'],
    ['{{ title | default: "colleague" | capitalize }}', 'Colleague'],
    ['{{ unknown | default: firstName }}', 'Anna'],
    ['{% if title %}Dear {{ title }}{% else %}Hello{% endif %}', 'Hello'],
    ['{% if company.city %}in {{ company.city }}{% else %}anywhere{% endif %}', 'anywhere'],
    ['{% unless title %}none{% endunless %}', 'none'],
    ['{% assign who = firstName | upcase %}{{ who }}', 'ANNA'],
    ['{% raw %}{{ firstName }}{% endraw %}', '{{ firstName }}'],
    ['{{ "2026-11-21" | date: "%A" }}', 'Saturday'],
    ['<p>{{ company.name }}</p>', '<p>Müller &amp; Söhne</p>', 'html'],
    ['{{ "a\\nb" }} {{ firstName }}', 'a b Anna', 'line'],
    ['  A\n\tquestion \r\n for {{ firstName }} ', 'A question for Anna', 'line'],
    ['', ''],
    ['no variables', 'no variables'],
  ])('%j renders to %j', (template, expected, format) => {
    expect(renderTemplate(template, anna, format)).toBe(expected)
  })

  test.each([
    ['Hi {{ firstname }},', 'firstname'],
    ['Hi {{ title }},', 'title'],
    ['{{ company.city }}', 'company.city'],
    ['{{ company.constructor }}', 'company.constructor'],
    ['{{ firstName.constructor.name }}', 'firstName.constructor'],
    ['{{ __proto__ }}', '__proto__'],
    ['{{ title | upcase | default: "x" }}', 'title'],
    ['{{ company }}', 'company'],
    ['{{ firstName | default: "" | remove: "Anna" }}', 'firstName | default: "" | remove: "Anna"'],
    ['{{ title | default: "" }}', 'title | default: ""'],
    ['{% assign who = title %}Hi {{ who }},', 'title'],
    ['{% echo title %}', 'title'],
    ['{{ firstName | append: title }}', 'title'],
    ['{% assign who = title %}{% echo who %}', undefined],
  ])('%j reports the missing variable instead of printing nothing', (template, variable) => {
    const error = getError(() => renderTemplate(template, anna))
    expect(error).toBeInstanceOf(MissingVariable)
    if (variable) expect((error as MissingVariable).variable).toBe(variable)
  })

  test('escapes every value in HTML, and filters cannot disable escaping', () => {
    const hostile = { name: `<script>alert("1")</script>'&` }
    expect(renderTemplate('<b>{{ name }}</b>', hostile, 'html')).toBe(
      '<b>&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&#39;&amp;</b>',
    )
    expect(renderTemplate('{% echo name %}', hostile, 'html')).not.toContain('<')
    expect(() => parseTemplate('{{ name | raw }}', 'html')).toThrow('undefined filter: raw')
  })

  test.each([
    ['{{ c }}', '<b>Smith &amp; Co</b> &amp; you'],
    ['{% echo c %}', '<b>Smith &amp; Co</b> &amp; you'],
    ['{{ c | default: "x" }}', '<b>Smith &amp; Co</b> &amp; you'],
    ['{{ c | upcase }}', 'SMITH &amp; CO &amp; YOU'],
    ['{% if c == "Smith & Co & you" and c contains "you" and c.size == 16 %}same{% endif %}', 'same'],
    ['{% case c %}{% when "Smith & Co & you" %}same{% endcase %}', 'same'],
  ])('%j prints HTML that was captured as c with its values escaped once', (print, expected) => {
    const capture = '{% capture c %}<b>{{ company }}</b> &amp; you{% endcapture %}'
    expect(renderTemplate(capture + print, { company: 'Smith & Co' }, 'html')).toBe(expected)
  })

  test('reports a blank capture instead of printing nothing', () => {
    const blank = '{% capture c %} {% if city %}in {{ city }}{% endif %} {% endcapture %}{{ c }}'
    for (const format of ['text', 'html'] as const)
      expect(() => renderTemplate(blank, { city: '' }, format)).toThrow(MissingVariable)
  })

  test('keeps a subject on one line, regardless of its values', () => {
    const value = 'Anna\r\nBcc: victim@example.com\0\u0085\u2028x'
    expect(renderTemplate('Hi {{ name }}', { name: value }, 'line')).toBe('Hi Anna Bcc: victim@example.com x')
  })

  test.each([
    ['Hi {{ firstName', 'line 1, column 4: output "{{ firstName" not closed'],
    ['one\n  {% if %}', 'line 2, column 8'],
    ['one\n\n {% bogus %}', 'line 3, column 2: tag "bogus" not found'],
    ['{% if a %}', 'line 1, column 1: tag {% if a %} not closed'],
    ['{{ a | sha256 }}', 'line 1, column 1: undefined filter: sha256'],
    ['{% include "x" %}', 'tag "include" not found'],
    ['{% render "/etc/passwd" %}', 'tag "render" not found'],
    ['{% layout "x" %}', 'tag "layout" not found'],
    ['{% for i in (1..9) %}{% endfor %}', 'tag "for" not found'],
    ['x'.repeat(maxTemplateLength + 1), 'is longer than 100000 characters'],
  ])('is rejected with the position and the reason when it has an error (%#)', (template, reason) => {
    const error = getError(() => parseTemplate(template))
    expect(error.code).toBe('ValidationError')
    expect(error.message).toContain(reason)
  })

  test.each([
    ['doubling', `{% assign s = "0123456789" %}${'{% assign s = s | append: s %}'.repeat(60)}{{ s }}`],
    ['replacing', `{% assign s = "${'a'.repeat(30_000)}" %}{{ s | replace: "a", s }}`],
    ['padding', '{{ "2026-11-21" | date: "%999999999Y" }}'],
    ['repeating', '{{ big }}'.repeat(1_000)],
    ['nesting', '{% if true %}'.repeat(7_000)],
    ['brackets', `{{ ${'a['.repeat(30_000)} }}`],
  ])('is rejected for excessive %s', (_name, template) => {
    const error = getError(() => renderTemplate(template, { big: 'x'.repeat(1_000) }))
    expect(error.code).toBe('ValidationError')
  })

  const long = 'a'.repeat(15_000)
  const needle = `${'a'.repeat(2_500)}b${'a'.repeat(2_500)}`
  test.each([
    ...['replace', 'replace_first', 'replace_last'].map(name => `{{ long | ${name}: needle, "z" }}`),
    ...['remove', 'remove_first', 'split'].map(name => `{{ long | ${name}: needle | size }}`),
    '{% if long contains needle %}x{% endif %}',
    `{{ "2026-11-21" | date: long }}`,
  ])('is rejected before %s takes quadratic time', template => {
    expect(getError(() => renderTemplate(template, { long, needle })).message).toContain(
      'filters and values together read and write more than 400000 characters',
    )
  })

  test.each([
    ['{{ over | upcase }}', 'a filter can process at most 20000 characters'],
    ['{{ han | url_encode }}', 'a filter can process at most 20000 characters'],
    ['{{ same | truncate: 500 | split: "" | size }}', 'a filter can split text into at most 100 parts'],
    [`{% if ${'long == same and '.repeat(100)}true %}x{% endif %}`, 'more than 400000 characters'],
    ['{{ long | upcase }}'.repeat(30), 'more than 400000 characters'],
  ])('is rejected when its filters process too much text (%#)', (template, reason) => {
    const values = { over: 'a'.repeat(20_001), han: '不'.repeat(5_000), long, same: 'a'.repeat(15_000) }
    expect(getError(() => renderTemplate(template, values)).message).toContain(reason)
  })

  test.each([
    '{{ "now" | date: "%A" }}',
    "{{ title | default: 'today' |date }}",
    '{% if firstName %}{% assign day = "now" | date: "%A" %}{% endif %}',
  ])('is rejected before it is saved if it prints the current date: %j', template => {
    const error = getError(() => parseTemplate(template))
    expect(error.code).toBe('ValidationError')
    expect(error.message).toMatch(/^line 1, column \d+: the date filter does not accept "now" or "today"/)
  })

  test.each([
    '{{ day | date: "%A" }}',
    '{{ "tod" | append: "ay" | date: "%A" }}',
    '{% capture copy %}{{ day }}{% endcapture %}{{ copy | date: "%A" }}',
  ])('does not print the current date when %j is rendered', template => {
    for (const format of ['text', 'html'] as const)
      expect(() => renderTemplate(template, { day: 'now' }, format)).toThrow(
        'does not accept "now" or "today"',
      )
  })

  test('prints the words "now" and "today"', () => {
    expect(renderTemplate('Act now. {{ "today" | capitalize }}, {{ day }}.', { day: 'now' })).toBe(
      'Act now. Today, now.',
    )
  })

  test('collects all missing variables in one rendering and prints their names in brackets', () => {
    const missing = new Set<string>()
    const template =
      '{{ a }} {{ b | upcase }} {% if c %}{{ d }}{% endif %}{{ e | default: a }}{{ f | default: "x" }}'
    const empty = { a: null, b: '', c: ' ', d: null, e: null, f: null }
    expect(renderTemplate(template, empty, 'text', missing)).toBe('[a] [B] [a]x')
    expect([...missing]).toEqual(['a', 'b'])
  })

  test.each([
    ['more than 200 Liquid tags', '{{ firstName }}'.repeat(201)],
    ['more than 5000 characters in its Liquid tags', `{{ "${'x'.repeat(5_000)}" }}`],
    ['more than 10 levels deep', `${'{% if firstName %}'.repeat(11)}a${'{% endif %}'.repeat(11)}`],
    ['nests brackets more than 5 levels deep', `{{ ${'a['.repeat(6)}0${']'.repeat(6)} }}`],
  ])('is rejected before it is analyzed: %s', (reason, template) => {
    expect(getError(() => findUnknownVariables(template, [])).message).toContain(reason)
  })

  test('is accepted when it is as large as the limits allow', () => {
    const nested = `${'{% if firstName %}'.repeat(10)}a${'{% endif %}'.repeat(10)}`
    const template = `${'{{ firstName }} '.repeat(180)}${nested}`.padEnd(maxTemplateLength)
    expect(findUnknownVariables(template, ['firstName'])).toEqual([])
    expect(renderTemplate(template, anna)).toContain('Anna a')
  })

  test('is checked against known names', () => {
    const template = `{{ firstName }} {{ lastname | default: "x" }} {{ company.name }} {{ company.size }}
      {% if vip %}{{ title | default: fallback }}{% endif %}{% assign mine = city %}{{ mine }}`
    const known = ['firstName', 'company.name', 'title', 'city']
    expect(findUnknownVariables(template, known)).toEqual(['lastname', 'company.size', 'vip', 'fallback'])
    expect(findUnknownVariables('{{ firstName.size }}{% if company %}{% endif %}', known)).toEqual([])
    expect(findUnknownVariables('plain', [])).toEqual([])
    expect(() => findUnknownVariables('{{ a', [])).toThrow('line 1')
  })
})
