/** A kind of string, of any length, that some code may process slowly. */
export type Kind = { name: string; fill: (length: number) => string }

const repeat = (name: string, unit: string): Kind => ({
  name,
  fill: length =>
    unit
      .repeat(Math.ceil(length / unit.length))
      .slice(0, length)
      .toWellFormed(),
})

/** Nests the parts as deeply as the length allows, and closes them. */
const nested = (name: string, open: string, close: string, inner = 'x'): Kind => ({
  name,
  fill: length => {
    const depth = Math.max(0, Math.floor((length - inner.length) / (open.length + close.length)))
    return open.repeat(depth) + inner + close.repeat(depth)
  },
})

/** Repeats the unit after a prefix. */
const after = (name: string, prefix: string, unit: string): Kind => ({
  name,
  fill: length => prefix.slice(0, length) + repeat(name, unit).fill(Math.max(0, length - prefix.length)),
})

/** Pads a template at its limits with words. */
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
    'a string that doubles',
    `{% assign a = "${'a'.repeat(500)}" %}${'{% assign a = a | append: a %}'.repeat(140)}{{ a }}`,
  ),
  withWords(
    'a string that grows tenfold',
    `{% assign a = "aaaaaaaaaa" %}${'{% assign a = a | replace: "a", "aaaaaaaaaa" %}'.repeat(90)}{{ a }}`,
  ),
  withWords('the maximum number of choices', '{a|b}'.repeat(950)),
  withWords('the maximum depth of choices', `${'{a|b '.repeat(9)}${'}'.repeat(9)}`.repeat(100)),
  repeat('variables', '{{email}}'),
  repeat('variables with fallbacks', '{{ firstName | default: "a" }}'),
  nested('nested conditions', '{% if email %}', '{% endif %}'),
  repeat('open conditions', '{% if email %}'),
  repeat('open loops', '{% for a in (1..99999999) %}'),
  repeat('open tags', '{%'),
  repeat('open braces', '{{'),
  after('a tag without an end', '{{ email', ' | upcase'),
  nested('nested choices', '{a|', '}'),
  repeat('open choices', '{a|'),
  repeat('many choices', '{a|b}'),
  after('a choice of many words', '{a', '|b'),
  repeat('closing braces', '}}'),
  nested('nested elements', '<b><i>', '</i></b>'),
  repeat('open elements', '<b><i><p>'),
  nested('nested tables', '<table><tr><td>', '</td></tr></table>'),
  nested('nested quotes', '<blockquote>', '</blockquote>'),
  repeat('angle brackets', '<'),
  repeat('comments', '<!--'),
  repeat('entities', '&amp;'),
  after('many attributes', '<a', ' a=1'),
  repeat('links', '<a href="https://a.example/?a=1">a</a>'),
  repeat('images', '<img src=x onerror=1>'),
  repeat('scripts', '<script>'),
  repeat('marks', `a${'\u0301'.repeat(30)}`),
  repeat('marks without an end', '\u0301'),
  repeat('ligatures', '\ufdfa'),
  repeat('emoji', '👩‍👩‍👧‍👦'),
  repeat('Hangul', '각'),
  repeat('right to left', '\u202eא'),
  repeat('invisible characters', '\u200b\u00ad'),
  repeat('dotted capitals', 'İ'),
  {
    name: 'half a surrogate pair at the end',
    fill: length => `${'a'.repeat(Math.max(0, length - 1))}\ud800`,
  },
  { name: 'NUL at the end', fill: length => `${'a'.repeat(Math.max(0, length - 1))}\0` },
  repeat('at signs', 'a@'),
  repeat('addresses', '<a@b.example>, '),
  repeat('dots', 'a.'),
  repeat('hyphens', 'a-'),
  repeat('commas', ','),
  repeat('semicolons', ';'),
  repeat('quotation marks', '"'),
  repeat('cells', '"a",'),
  after('a quotation without an end', '"', 'a,\n'),
  repeat('rows', 'a\n'),
  repeat('line breaks', '\r\n'),
  repeat('empty lines', '\n'),
  repeat('old line breaks', '\r'),
  repeat('tabs', '\t'),
  repeat('spaces', ' '),
  { name: 'spaces before a letter', fill: length => `${' '.repeat(Math.max(0, length - 1))}a` },
  { name: 'spaces between letters', fill: length => `a${' '.repeat(Math.max(0, length - 2))}a` },
  repeat('digits', '1'),
  repeat('plus and digits', '+1'),
  repeat('zeros', '0'),
  repeat('a long word', 'a'),
  repeat('words', 'a '),
  repeat('capitals', 'aB'),
  repeat('list', '1,'),
  repeat('schemes', 'http://'),
  after('a long address', 'https://a.example/', '%41'),
  after('a host of many labels', 'https://', 'a.'),
  after('folders', 'https://a.example/', '../'),
  after('parameters', 'https://a.example/?', 'a=1&'),
  repeat('percent signs', '%'),
  repeat('slashes', '/'),
  repeat('backslashes', '\\'),
  repeat('apostrophes', "'"),
  repeat('brackets', '('),
  nested('nested brackets', '(', ')'),
  nested('nested lists', '[', ']'),
  repeat('reply prefixes', 'Re: '),
  repeat('quoted lines', '> '),
  repeat('words before a quote', 'On Monday Ada wrote:\n'),
  repeat('signatures', '\n-- \n'),
  repeat('JSON', '{"a":'),
  repeat('opt-outs', 'stop '),
]

/** Returns a string of this kind that nearly fills this many bytes, by default of JSON. */
export function textWithin(kind: Kind, bytes: number, getSize: GetSize = jsonBytes): string {
  const sample = kind.fill(1_000)
  for (let length = Math.min(bytes, Math.ceil((sample.length * bytes) / getSize(sample))); ; ) {
    const text = kind.fill(length)
    const size = getSize(text)
    if (size <= bytes) return text
    length = Math.floor((length * bytes) / size) - 1
  }
}

/** Long enough to reveal superlinear cost. */
const LONG_BYTES = 50_000

/**
 * Returns the length in bytes for this kind at a place that accepts `maxBytes` bytes. Each place gets a quarter of the
 * kinds at full length, and each kind has its full length at every fourth place.
 */
export const getMaxBytes = (kind: Kind, place: number, maxBytes: number): number =>
  isInShare(kind, place, 4) ? maxBytes : Math.min(maxBytes, LONG_BYTES)

/** Returns true for one in `share` kinds, different kinds at each place. */
export const isInShare = (kind: Kind, place: number, share: number): boolean =>
  (kinds.indexOf(kind) + place) % share === 0

export const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

const upTo = (bytes: number, unit: string): string => unit.repeat(Math.floor(bytes / unit.length))

/** Large JSON values other than strings, for a field of any type and for a whole body. */
export const shapes: Record<string, (bytes: number) => string> = {
  'a list of numbers': bytes => `[${upTo(bytes - 4, '1,')}1]`,
  'a list of fewer numbers': bytes => `[${upTo(Math.min(bytes - 4, 39_000), '1,')}1]`,
  'a list of strings': bytes => `[${upTo(Math.min(bytes - 4, 78_000), '"a",')}"a"]`,
  'a list of objects': bytes => `[${upTo(Math.min(bytes - 4, 28_000), '{},')}{}]`,
  'a list of lists': bytes => `[${upTo(Math.min(bytes - 4, 28_000), '[],')}[]]`,
  'a list of nulls': bytes => `[${upTo(Math.min(bytes - 6, 95_000), 'null,')}null]`,
  'deep lists': bytes => nested('', '[', ']', '1').fill(bytes),
  'less deep lists': bytes => nested('', '[', ']', '1').fill(Math.min(bytes, 39_000)),
  'deep objects': bytes => nested('', '{"a":', '}', '1').fill(Math.min(bytes, 59_000)),
  'open objects': bytes => upTo(Math.min(bytes, 49_000), '{"a":'),
  'many names': bytes => manyNames(Math.min(bytes, 85_000)),
  'one long name': bytes => `{"${upTo(bytes - 10, 'a')}":1}`,
  'two long nested names': bytes => `{"${upTo(bytes / 2 - 10, 'a')}":{"${upTo(bytes / 2 - 10, 'a')}":1}}`,
  'a long number': bytes => upTo(bytes, '9'),
  'a long fraction': bytes => `0.${upTo(bytes - 2, '1')}`,
  'spaces and a number': bytes => `${upTo(bytes - 1, ' ')}1`,
  'a string without an end': bytes => `"${upTo(bytes - 1, '\\"')}`,
  'a string of backslashes': bytes => `"${upTo(bytes - 2, '\\\\')}"`,
  'a string of escapes': bytes => `"${upTo(bytes - 2, '\\u00e9')}"`,
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

type GetSize = (text: string) => number

/** The index of the email address in `forms`. */
export const AS_ADDRESS = 2

/**
 * Forms of a kind that a field may accept: unchanged, as a URL, before the @ of an email address, after words that an
 * assistant must say, and as a valid email address.
 */
export const forms: ((kind: Kind, length: number, getSize: GetSize, bytes: number) => string)[] = [
  (kind, length, getSize, bytes) =>
    textWithin({ ...kind, fill: given => kind.fill(Math.min(given, length)) }, bytes, getSize),
  (kind, length, _getSize, bytes) => {
    const start = 'https://a.example/'
    const maxLength = Math.min(length, bytes, LONGEST_URL) - start.length
    const path = encodeURI(kind.fill(Math.max(1, maxLength)).toWellFormed()).slice(0, Math.max(0, maxLength))
    return start + path.replace(/%.?$/, '')
  },
  (kind, length) => `${kind.fill(Math.min(60, Math.max(1, length - 10)))}@a.example`,
  (kind, length, getSize, bytes) => {
    const start = 'I am an AI assistant. '
    return start + forms[0]!(kind, Math.max(1, length - start.length), getSize, bytes - start.length)
  },
  (kind, length) =>
    `a${kind.fill(60).replace(/[^a-z0-9]/g, '')}${kinds.indexOf(kind)}@${'a.'.repeat(Math.min(90, length >> 2))}example`,
]
