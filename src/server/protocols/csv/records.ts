import { CsvError, parse } from 'csv-parse/sync'
import { createYielder } from '../../kernel/async/yield-to-event-loop.ts'

/**
 * Maximum length of a record or line, because parsing a record blocks the event loop. A spreadsheet cell holds at most
 * 32,767 characters.
 */
const MAX_RECORD_LENGTH = 100_000
/** Maximum number of delimiters in a record, including quoted ones. */
const MAX_DELIMITERS = 10_000

/** A line of the file without its line ending; undefined when it was too long. */
export type Line = string | undefined

export type CsvRecord = { line: number; cells: string[]; error?: undefined } | { line: number; error: string }

/**
 * Splits text into groups of lines as it arrives. A lone CR ends lines only if the first line ends with one.
 */
export async function* splitLines(text: AsyncIterable<string>): AsyncGenerator<Line[]> {
  let lineEnd: RegExp | undefined
  let rest = ''
  let isTooLong = false
  for await (const piece of text) {
    rest += piece
    lineEnd ??= detectLineEnd(rest)
    const lines: Line[] = lineEnd ? rest.split(lineEnd) : [rest]
    rest = lines.pop()!
    if (isTooLong && lines.length > 0) {
      lines[0] = undefined
      isTooLong = false
    }
    if (rest.length > MAX_RECORD_LENGTH) isTooLong = true
    if (isTooLong) rest = ''
    if (lines.length > 0) yield lines
  }
  if (isTooLong) yield [undefined]
  else if (rest) yield [rest.replace(/\r$/, '')]
}

function detectLineEnd(text: string): RegExp | undefined {
  // A CR at the very end may be half of a CRLF.
  const end = /\r\n|\n|\r(?!$)/.exec(text)?.[0]
  return end === undefined ? undefined : end === '\r' ? /\r/ : /\r?\n/
}

/**
 * Parses `lines` and then the lines of `more` into records. The first of `lines` has the line number `line`. Yields an
 * error for a malformed record and continues with the next line.
 */
export async function* parseRecords(
  lines: Line[],
  line: number,
  more: AsyncGenerator<Line[]>,
  delimiter: string,
): AsyncGenerator<CsvRecord> {
  const yieldIfDue = createYielder()
  try {
    for (let isEnd = false; ; ) {
      let at = 0
      for (let record = parseRecordAt(lines, 0, isEnd, delimiter); record; ) {
        await yieldIfDue()
        if (record.error !== undefined) yield { line, error: record.error }
        else yield { line, cells: record.cells }
        at += record.lineCount
        line += record.lineCount
        record = parseRecordAt(lines, at, isEnd, delimiter)
      }
      if (isEnd) return
      await yieldIfDue()
      const next = await more.next()
      lines = lines.slice(at).concat(next.done ? [] : next.value)
      isEnd = next.done === true
    }
  } finally {
    await more.return(undefined)
  }
}

type ParsedRecord = { lineCount: number } & ({ cells: string[]; error?: undefined } | { error: string })

/** Parses the record that starts at a line; undefined when its end has not arrived yet. An empty line has no cells. */
export function parseRecordAt(
  lines: readonly Line[],
  at: number,
  isEnd: boolean,
  delimiter: string,
): ParsedRecord | undefined {
  const lineCount = countLines(lines, at, isEnd)
  if (lineCount === 0) return undefined
  if (lineCount > 1) {
    const text = lines.slice(at, at + lineCount).join('\n')
    const cells = hasTooManyCells(text, delimiter) ? undefined : parseRecord(text, delimiter, 'strict')
    if (cells) return { lineCount, cells }
  }
  // A stray quote must not swallow the following lines: parse this line alone.
  const line = lines[at]
  if (line === undefined)
    return { lineCount: 1, error: `The line is longer than ${MAX_RECORD_LENGTH} characters` }
  if (hasTooManyCells(line, delimiter))
    return { lineCount: 1, error: `The line has more than ${MAX_DELIMITERS} cells` }
  const cells = parseRecord(line, delimiter, 'lenient')
  return cells
    ? { lineCount: 1, cells }
    : { lineCount: 1, error: 'A cell starts with a quote (") that is never closed' }
}

/** Counts the lines until all quotes are closed; 0 when more lines are needed, 1 when the quotes never close. */
function countLines(lines: readonly Line[], at: number, isEnd: boolean): number {
  let isOpen = false
  let length = 0
  for (let i = at; i < lines.length; i++) {
    const line = lines[i]
    if (line === undefined) return 1
    if (hasOddQuotes(line)) isOpen = !isOpen
    if (!isOpen) return i - at + 1
    length += line.length + 1
    if (length > MAX_RECORD_LENGTH) return 1
  }
  return isEnd && at < lines.length ? 1 : 0
}

function hasTooManyCells(text: string, delimiter: string): boolean {
  let count = 0
  for (let at = text.indexOf(delimiter); at >= 0; at = text.indexOf(delimiter, at + 1))
    if (++count > MAX_DELIMITERS) return true
  return false
}

function hasOddQuotes(line: string): boolean {
  let isOdd = false
  for (let at = line.indexOf('"'); at >= 0; at = line.indexOf('"', at + 1)) isOdd = !isOdd
  return isOdd
}

/** Returns the cells of a record; undefined when its quotes are invalid. Lenient mode treats stray quotes as text. */
function parseRecord(text: string, delimiter: string, mode: 'strict' | 'lenient'): string[] | undefined {
  if (text === '') return []
  if (!text.includes('"')) return text.split(delimiter)
  try {
    const records = parse(text, {
      delimiter,
      record_delimiter: '\n',
      relax_quotes: mode === 'lenient',
      relax_column_count: true,
    })
    return records.length > 1 ? undefined : (records[0] ?? [])
  } catch (error) {
    if (error instanceof CsvError) return undefined
    throw error
  }
}
