/** A kind of text that some code may process slowly, at any length. */
export type Kind = { name: string; fill: (length: number) => string }

const again = (name: string, unit: string): Kind => ({
  name,
  fill: length =>
    unit
      .repeat(Math.ceil(length / unit.length))
      .slice(0, length)
      .toWellFormed(),
})

/** Nested as deep as the length allows, with closing parts. */
const nested = (name: string, open: string, close: string, within = 'x'): Kind => ({
  name,
  fill: length => {
    const depth = Math.max(0, Math.floor((length - within.length) / (open.length + close.length)))
    return open.repeat(depth) + within + close.repeat(depth)
  },
})

/** `before` once, then repetitions of the unit. */
const after = (name: string, before: string, unit: string): Kind => ({
  name,
  fill: length => before.slice(0, length) + again(name, unit).fill(Math.max(0, length - before.length)),
})

/** A template at its limits, padded with words. */
const withWords = (name: string, template: string): Kind => ({
  name,
  fill: length => (template + 'a '.repeat(Math.ceil(length / 2))).slice(0, length),
})

export const kinds: Kind[] = [
  withWords('the maximum number of variables', '{{ firstName | default: "a" }}'.repeat(160)),
  withWords(
    'the maximum number of conditions',
    `${'{% if email %}'.repeat(9)}{{ email }}${'{% endif %}'.repeat(9)}`.repeat(10),
  ),
  withWords('the maximum number of filters', `{{ email${' | upcase'.repeat(500)} }}`),
  withWords(
    'a text that doubles',
    `{% assign a = "${'a'.repeat(500)}" %}${'{% assign a = a | append: a %}'.repeat(140)}{{ a }}`,
  ),
  withWords(
    'a text that grows tenfold',
    `{% assign a = "aaaaaaaaaa" %}${'{% assign a = a | replace: "a", "aaaaaaaaaa" %}'.repeat(90)}{{ a }}`,
  ),
  withWords('the maximum number of choices', '{a|b}'.repeat(950)),
  withWords('the maximum depth of choices', `${'{a|b '.repeat(9)}${'}'.repeat(9)}`.repeat(100)),
  again('variables', '{{email}}'),
  again('variables with fallbacks', '{{ firstName | default: "a" }}'),
  nested('nested conditions', '{% if email %}', '{% endif %}'),
  again('open conditions', '{% if email %}'),
  again('open loops', '{% for a in (1..99999999) %}'),
  again('open tags', '{%'),
  again('open braces', '{{'),
  after('a tag without an end', '{{ email', ' | upcase'),
  nested('nested choices', '{a|', '}'),
  again('open choices', '{a|'),
  again('many choices', '{a|b}'),
  after('a choice of many words', '{a', '|b'),
  again('closing braces', '}}'),
  nested('nested elements', '<b><i>', '</i></b>'),
  again('open elements', '<b><i><p>'),
  nested('nested tables', '<table><tr><td>', '</td></tr></table>'),
  nested('nested quotes', '<blockquote>', '</blockquote>'),
  again('angle brackets', '<'),
  again('comments', '<!--'),
  again('entities', '&amp;'),
  after('many attributes', '<a', ' a=1'),
  again('links', '<a href="https://a.example/?a=1">a</a>'),
  again('images', '<img src=x onerror=1>'),
  again('scripts', '<script>'),
  again('marks', `a${'\u0301'.repeat(30)}`),
  again('marks without an end', '\u0301'),
  again('ligatures', '\ufdfa'),
  again('emoji', '👩‍👩‍👧‍👦'),
  again('Hangul', '각'),
  again('right to left', '\u202eא'),
  again('invisible characters', '\u200b\u00ad'),
  again('dotted capitals', 'İ'),
  {
    name: 'half a surrogate pair at the end',
    fill: length => `${'a'.repeat(Math.max(0, length - 1))}\ud800`,
  },
  { name: 'NUL at the end', fill: length => `${'a'.repeat(Math.max(0, length - 1))}\0` },
  again('at signs', 'a@'),
  again('addresses', '<a@b.example>, '),
  again('dots', 'a.'),
  again('hyphens', 'a-'),
  again('commas', ','),
  again('semicolons', ';'),
  again('quotation marks', '"'),
  again('cells', '"a",'),
  after('a quotation without an end', '"', 'a,\n'),
  again('rows', 'a\n'),
  again('line breaks', '\r\n'),
  again('empty lines', '\n'),
  again('old line breaks', '\r'),
  again('tabs', '\t'),
  again('spaces', ' '),
  { name: 'spaces before a letter', fill: length => `${' '.repeat(Math.max(0, length - 1))}a` },
  { name: 'spaces between letters', fill: length => `a${' '.repeat(Math.max(0, length - 2))}a` },
  again('digits', '1'),
  again('plus and digits', '+1'),
  again('zeros', '0'),
  again('a long word', 'a'),
  again('words', 'a '),
  again('capitals', 'aB'),
  again('list', '1,'),
  again('schemes', 'http://'),
  after('a long address', 'https://a.example/', '%41'),
  after('a host of many labels', 'https://', 'a.'),
  after('folders', 'https://a.example/', '../'),
  after('parameters', 'https://a.example/?', 'a=1&'),
  again('percent signs', '%'),
  again('slashes', '/'),
  again('backslashes', '\\'),
  again('apostrophes', "'"),
  again('brackets', '('),
  nested('nested brackets', '(', ')'),
  nested('nested lists', '[', ']'),
  again('answers', 'Re: '),
  again('quoted lines', '> '),
  again('words before a quote', 'On Monday Ada wrote:\n'),
  again('signatures', '\n-- \n'),
  again('JSON', '{"a":'),
  again('opt-outs', 'stop '),
]

/** Returns the longest text of this kind that fits into this many bytes of JSON. */
export function textWithin(kind: Kind, bytes: number, sizeOf: SizeOf = jsonBytes): string {
  const sample = kind.fill(1_000)
  for (let length = Math.min(bytes, Math.ceil((sample.length * bytes) / sizeOf(sample))); ; ) {
    const text = kind.fill(length)
    const size = sizeOf(text)
    if (size <= bytes) return text
    length = Math.floor((length * bytes) / size) - 1
  }
}

/** Long enough to reveal superlinear cost. */
const LONG_BYTES = 50_000

/**
 * Returns the length of this kind at a place that accepts `most` bytes: the full length at every fourth place, so that
 * each kind is sent at full length somewhere and each place gets a quarter of the kinds at full length.
 */
export const getMaxBytes = (kind: Kind, place: number, most: number): number =>
  isShare(kind, place, 4) ? most : Math.min(most, LONG_BYTES)

/** Returns true for one in `share` kinds, different ones at each place. */
export const isShare = (kind: Kind, place: number, share: number): boolean =>
  (kinds.indexOf(kind) + place) % share === 0

export const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

const upTo = (bytes: number, unit: string): string => unit.repeat(Math.floor(bytes / unit.length))

/** Large JSON values other than texts, for a field of any type and for a whole body. */
export const shapes: Record<string, (bytes: number) => string> = {
  'a list of numbers': bytes => `[${upTo(bytes - 4, '1,')}1]`,
  'a list of fewer numbers': bytes => `[${upTo(Math.min(bytes - 4, 39_000), '1,')}1]`,
  'a list of texts': bytes => `[${upTo(Math.min(bytes - 4, 78_000), '"a",')}"a"]`,
  'a list of objects': bytes => `[${upTo(Math.min(bytes - 4, 28_000), '{},')}{}]`,
  'a list of lists': bytes => `[${upTo(Math.min(bytes - 4, 28_000), '[],')}[]]`,
  'a list of nulls': bytes => `[${upTo(Math.min(bytes - 6, 95_000), 'null,')}null]`,
  'deep lists': bytes => nested('', '[', ']', '1').fill(bytes),
  'less deep lists': bytes => nested('', '[', ']', '1').fill(Math.min(bytes, 39_000)),
  'deep objects': bytes => nested('', '{"a":', '}', '1').fill(Math.min(bytes, 59_000)),
  'open objects': bytes => upTo(Math.min(bytes, 49_000), '{"a":'),
  'many names': bytes => manyNames(Math.min(bytes, 85_000)),
  'one long name': bytes => `{"${upTo(bytes - 10, 'a')}":1}`,
  'names with an end': bytes => `{"${upTo(bytes / 2 - 10, 'a')}":{"${upTo(bytes / 2 - 10, 'a')}":1}}`,
  'a long number': bytes => upTo(bytes, '9'),
  'a long fraction': bytes => `0.${upTo(bytes - 2, '1')}`,
  'spaces and a number': bytes => `${upTo(bytes - 1, ' ')}1`,
  'a text without an end': bytes => `"${upTo(bytes - 1, '\\"')}`,
  'a text of backslashes': bytes => `"${upTo(bytes - 2, '\\\\')}"`,
  'a text of escapes': bytes => `"${upTo(bytes - 2, '\\u00e9')}"`,
}

function manyNames(bytes: number): string {
  const parts: string[] = []
  for (let size = 2; ; ) {
    const part = `"n${parts.length}":1`
    size += part.length + 1
    if (size > bytes) return `{${parts.join(',')}}`
    parts.push(part)
  }
}

const LONGEST_URL = 2_000

type SizeOf = (text: string) => number

/** Index of the form of an email address. */
export const AS_ADDRESS = 2

/**
 * Forms of a kind that a field may accept: unchanged, as a URL, as an email address, after words that an assistant must say,
 * and as a well-formed address.
 */
export const forms: ((kind: Kind, length: number, sizeOf: SizeOf, bytes: number) => string)[] = [
  (kind, length, sizeOf, bytes) =>
    textWithin({ ...kind, fill: given => kind.fill(Math.min(given, length)) }, bytes, sizeOf),
  (kind, length, _sizeOf, bytes) => {
    const start = 'https://a.example/'
    const most = Math.min(length, bytes, LONGEST_URL) - start.length
    const path = encodeURI(kind.fill(Math.max(1, most)).toWellFormed()).slice(0, Math.max(0, most))
    return start + path.replace(/%.?$/, '')
  },
  (kind, length) => `${kind.fill(Math.min(60, Math.max(1, length - 10)))}@a.example`,
  (kind, length, sizeOf, bytes) => {
    const start = 'I am an AI assistant. '
    return start + forms[0]!(kind, Math.max(1, length - start.length), sizeOf, bytes - start.length)
  },
  (kind, length) =>
    `a${kind.fill(60).replace(/[^a-z0-9]/g, '')}${kinds.indexOf(kind)}@${'a.'.repeat(Math.min(90, length >> 2))}example`,
]
