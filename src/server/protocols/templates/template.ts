import {
  analyzeSync,
  Liquid,
  type Context as LiquidContext,
  LiquidError,
  ParseError,
  Parser,
  type Template,
  Tokenizer,
  TypeGuards,
  UndefinedVariableError,
} from 'liquidjs'
import { AppError, invalid } from '../../kernel/errors.ts'
import { escapeHtml } from '../mime/body.ts'
import { chargeCharacters, clockError, limitedOperators, limitFilter, maxCharacters } from './bounds.ts'
import { Capture } from './capture.ts'
import { Echo } from './echo.ts'
import { Markup } from './markup.ts'
import { MissingValue } from './missing-value.ts'

/** The format of rendered text: `line` collapses whitespace to one line, for subjects; `html` escapes values. */
export type TemplateFormat = 'line' | 'text' | 'html'

export const maxTemplateLength = 100_000
const maxRenderedLength = 200_000
/** Limits that bound the cost of parsing, analysis and rendering for any text. */
const maxTags = 200
const maxTagCharacters = 5_000
const maxTagDepth = 10
const maxBracketDepth = 5

// The subset of Liquid that emails need. No loops, files, clocks or randomness: cost is bounded by length, and the same
// variables give the same email.
const allowedTags = ['assign', 'capture', 'if', 'unless', 'case', 'comment', '#', 'raw', 'echo']
const blockTags = new Set(['if', 'unless', 'case', 'capture', 'comment', 'raw'])
/** Matches a literal current date, which parsing rejects. `limitFilter` rejects a computed one during rendering. */
const clockPattern = /(["'])(?:now|today)\1\s*\|\s*date\b/
const allowedFilters = [
  ...['default', 'append', 'prepend', 'replace', 'replace_first', 'replace_last', 'remove', 'remove_first'],
  ...['upcase', 'downcase', 'capitalize', 'strip', 'lstrip', 'rstrip', 'squish', 'strip_newlines'],
  ...['truncate', 'truncatewords', 'split', 'first', 'last', 'size', 'url_encode'],
  ...['plus', 'minus', 'times', 'divided_by', 'round', 'floor', 'ceil', 'abs', 'date'],
]

const engines = {
  text: createEngine(toPlainValue, 'text'),
  html: createEngine(escapeHtml, 'html'),
}

/** Error for a variable that has no value for the recipient; the template itself may be valid. */
export class MissingVariable extends AppError {
  override name = 'MissingVariable'
  readonly variable: string

  constructor(variable: string) {
    super(
      'ValidationError',
      `${variable} has no value for this recipient; write {{ ${variable} | default: "…" }}, with default as the first filter, or put the text inside {% if ${variable} %}`,
    )
    this.variable = variable
  }
}

/** A parsed template; `tags` contains only the Liquid tags, for analysis. */
type Parsed = { template: Template[]; tags: string; variables?: string[] }

/** Parses a template. Throws ValidationError with the exceeded limit, or the line and column of the error. */
export const parseTemplate = (text: string, format: TemplateFormat = 'text'): Template[] =>
  parse(text, format).template

function parse(text: string, format: TemplateFormat): Parsed {
  if (text.length > maxTemplateLength) throw invalid('', `is longer than ${maxTemplateLength} characters`)
  if (countTags(text) > maxTags) throw invalid('', `has more than ${maxTags} Liquid tags`)
  const parsed = format === 'html' ? parsedHtml : parsedText
  try {
    return parsed.get(text) ?? cacheParsed(parsed, text, parseUncached(text, getEngine(format)))
  } catch (error) {
    throw toTemplateError(error)
  }
}

/** Counts possible starts of tags, up to just above the limit. */
export function countTags(text: string): number {
  let count = 0
  for (let at = text.indexOf('{'); at !== -1 && count <= maxTags; at = text.indexOf('{', at)) {
    const next = text[at + 1]
    if (next === '{' || next === '%') count += 1
    at += next === '{' ? 2 : 1
  }
  return count
}

function parseUncached(text: string, engine: Liquid): Parsed {
  const { operators, groupedExpressions } = engine.options
  const tokens = new Tokenizer(text, operators, undefined, undefined, groupedExpressions).readTopLevelTokens(
    engine.options,
  )
  let [depth, tags] = [0, '']
  for (const token of tokens) {
    if (!TypeGuards.isTagToken(token) && !TypeGuards.isOutputToken(token)) continue
    tags += token.getText()
    if (tags.length > maxTagCharacters)
      throw invalid('', `has more than ${maxTagCharacters} characters in its Liquid tags`)
    if (getBracketDepth(token.getText()) > maxBracketDepth)
      throw invalid('', `nests brackets more than ${maxBracketDepth} levels deep in a Liquid tag`)
    if (clockPattern.test(token.getText())) throw new ParseError(clockError(), token)
    if (!TypeGuards.isTagToken(token)) continue
    if (blockTags.has(token.name)) depth += 1
    else if (token.name.startsWith('end')) depth -= 1
    if (depth > maxTagDepth) throw invalid('', `nests Liquid tags more than ${maxTagDepth} levels deep`)
  }
  return { template: new Parser(engine).parseTokens(tokens), tags }
}

function getBracketDepth(tag: string): number {
  let [depth, deepest] = [0, 0]
  for (const character of tag) {
    if (character === '[') deepest = Math.max(deepest, ++depth)
    else if (character === ']') depth -= 1
  }
  return deepest
}

/**
 * Parsed templates by text. Campaigns render a few templates many times, and parsing costs more than the rest of an
 * email.
 */
const [parsedText, parsedHtml] = [new Map<string, Parsed>(), new Map<string, Parsed>()]
const MAX_CACHED = 200
const MAX_CACHED_CHARACTERS = 1_000_000
let cachedCharacters = 0

/** Caches a parsed template, evicting the oldest ones. */
function cacheParsed(all: Map<string, Parsed>, text: string, parsed: Parsed): Parsed {
  cachedCharacters += text.length
  for (const oldest of all.keys()) {
    if (all.size < MAX_CACHED && cachedCharacters <= MAX_CACHED_CHARACTERS) break
    all.delete(oldest)
    cachedCharacters -= oldest.length
  }
  all.set(text, parsed)
  return parsed
}

/**
 * Lists variables in a template that no known name covers, in order of appearance. A known name covers its prefixes and
 * properties: `company.name` covers `company` and `company.name.size`.
 */
export function findUnknownVariables(text: string, knownNames: Iterable<string>): string[] {
  const known = [...knownNames]
  const covers = (name: string, path: string) =>
    name === path || path.startsWith(`${name}.`) || name.startsWith(`${path}.`)
  return listVariables(text).filter(path => !known.some(name => covers(name, path)))
}

/** Lists the variables in a template, in order of appearance. */
export function listVariables(text: string): string[] {
  const parsed = parse(text, 'text')
  parsed.variables ??= analyze(parsed.tags)
  return parsed.variables
}

function analyze(tags: string): string[] {
  const { globals } = analyzeSync(engines.text.parse(tags), { partials: false })
  return [...new Set(Object.values(globals).flatMap(uses => uses.map(use => use.toArray().join('.'))))]
}

/**
 * Renders a template. Empty values count as missing and must not be printed, so that no email says "Hi ,". Throws
 * MissingVariable, or ValidationError for an invalid template. With `missing`, collects missing variables in that set
 * and prints `[name]` instead.
 */
export function renderTemplate(
  text: string,
  variables: Record<string, unknown>,
  format: TemplateFormat = 'text',
  missing?: Set<string>,
): string {
  const template = parseTemplate(text, format)
  const onMissing = (name: string) => {
    if (!missing) throw new MissingVariable(name)
    missing.add(name)
    return `[${name}]`
  }
  let rendered: string
  try {
    rendered = String(getEngine(format).renderSync(template, markMissingValues(variables, onMissing)))
  } catch (error) {
    throw toTemplateError(error)
  }
  if (rendered.length > maxRenderedLength) {
    throw invalid('', `becomes longer than ${maxRenderedLength} characters`)
  }
  return format === 'line' ? rendered.replace(/[\s\p{Cc}]+/gu, ' ').trim() : rendered
}

function getEngine(format: TemplateFormat): Liquid {
  return format === 'html' ? engines.html : engines.text
}

function createEngine(escapeValue: (value: string) => string, format: 'text' | 'html'): Liquid {
  const engine = new Liquid({
    strictVariables: true,
    strictFilters: true,
    ownPropertyOnly: true,
    lenientIf: true,
    parseLimit: maxTemplateLength,
    memoryLimit: maxCharacters,
    operators: limitedOperators,
    timezoneOffset: 0,
    locale: 'en-US',
    outputEscape(this: { context: LiquidContext }, value: unknown) {
      const text = value instanceof Markup ? value[format] : toPrintable(value)
      chargeCharacters(this.context, text.length)
      return value instanceof Markup ? text : escapeValue(text)
    },
  })
  engine.registerTag('echo', Echo)
  if (format === 'html') engine.registerTag('capture', Capture)
  for (const tag of Object.keys(engine.tags)) if (!allowedTags.includes(tag)) delete engine.tags[tag]
  for (const [name, filter] of Object.entries(engine.filters)) {
    if (allowedFilters.includes(name)) engine.registerFilter(name, limitFilter(name, filter))
    else engine.unregisterFilter(name)
  }
  return engine
}

class EmptyOutput extends Error {}

/** Converts a value to text. Throws if it is blank, as arrays and the results of `assign` and filters may be. */
function toPrintable(value: unknown): string {
  if (value instanceof MissingValue) return value.report()
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  if (text.trim() === '') throw new EmptyOutput()
  return text
}

function toPlainValue(value: string): string {
  return value
}

/** Replaces blank values with MissingValue: in Liquid, an empty string is truthy and counts as a value. */
function markMissingValues(
  variables: Record<string, unknown>,
  onMissing: (name: string) => string,
  path = '',
): Record<string, unknown> {
  const isBlank = (value: unknown) => value === null || (typeof value === 'string' && value.trim() === '')
  const fill = (value: unknown, name: string) => {
    if (isBlank(value)) return new MissingValue(name, onMissing)
    return isRecord(value) ? markMissingValues(value, onMissing, `${name}.`) : value
  }
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [name, fill(value, path + name)]),
  )
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}

function toTemplateError(error: unknown): unknown {
  if (error instanceof RangeError) return invalid('', 'nests too deeply')
  if (!LiquidError.is(error)) return error
  const { originalError } = error
  if (originalError instanceof MissingVariable) return originalError
  if (error instanceof UndefinedVariableError && originalError && 'variableName' in originalError) {
    return new MissingVariable(String(originalError.variableName))
  }
  if (originalError instanceof EmptyOutput) {
    return new MissingVariable(error.token.getText().replace(/^\{\{-?\s*|\s*-?\}\}$/g, ''))
  }
  const [line, column] = error.token.getPosition()
  const message = (originalError ?? error).message.replace(/, line:\d+, col:\d+$/, '')
  const description = /^memory alloc limit/.test(message)
    ? `filters and values together read and write more than ${maxCharacters} characters`
    : message
  return invalid('', `line ${line}, column ${column}: ${description}`)
}
