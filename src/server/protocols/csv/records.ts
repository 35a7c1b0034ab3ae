import { CsvError, parse } from 'csv-parse/sync'
import { createYielder } from '../../kernel/async/yield-to-event-loop.ts'

/** Characters of one record, and of one line; spreadsheets hold 32,767 in a cell. Reading one holds up everybody else. */
const maxRecordLength = 100_000
/** Delimiters of one record, those within quotes included. */
const maxDelimiters = 10_000

/** A line of the file, without its end; undefined when it was too long to keep. */
export type Line = string | undefined

export type CsvRecord = { line: number; cells: string[]; error?: undefined } | { line: number; error: string }

/** The lines of a text, in groups as they come. Its first line's end tells whether a lone CR ends lines. */
export async function* splitLines(text: AsyncIterable<string>): AsyncGenerator<Line[]> {
  let lineEnd: RegExp | undefined
  let rest = ''
  let isTooLong = false
  for await (const piece of text) {
    rest += piece
    lineEnd ??= lineEndOf(rest)
    const lines: Line[] = lineEnd ? rest.split(lineEnd) : [rest]
    rest = lines.pop()!
    if (isTooLong && lines.length > 0) {
      lines[0] = undefined
      isTooLong = false
    }
    if (rest.length > maxRecordLength) isTooLong = true
    if (isTooLong) rest = ''
    if (lines.length > 0) yield lines
  }
  if (isTooLong) yield [undefined]
  else if (rest) yield [rest.replace(/\r$/, '')]
}

function lineEndOf(text: string): RegExp | undefined {
  // A CR at the very end may be half of a CRLF.
  const end = /\r\n|\n|\r(?!$)/.exec(text)?.[0]
  return end === undefined ? undefined : end === '\r' ? /\r/ : /\r?\n/
}

/**
 * Records out of lines. `lines` are those already read, the first of them numbered `line`; `more` brings the others.
 * A record that can't be read is given with its reason, and reading goes on with the line after it.
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
      for (let taken = parseRecordAt(lines, 0, isEnd, delimiter); taken; ) {
        await yieldIfDue()
        if (taken.error !== undefined) yield { line, error: taken.error }
        else yield { line, cells: taken.cells }
        at += taken.lineCount
        line += taken.lineCount
        taken = parseRecordAt(lines, at, isEnd, delimiter)
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

type Taken = { lineCount: number } & ({ cells: string[]; error?: undefined } | { error: string })

/** The record that starts at a line; undefined when its end has not come yet. An empty line gives no cells. */
export function parseRecordAt(
  lines: readonly Line[],
  at: number,
  isEnd: boolean,
  delimiter: string,
): Taken | undefined {
  const lineCount = countLines(lines, at, isEnd)
  if (lineCount === 0) return undefined
  if (lineCount > 1) {
    const text = lines.slice(at, at + lineCount).join('\n')
    const cells = hasManyCells(text, delimiter) ? undefined : parseRecord(text, delimiter, 'strict')
    if (cells) return { lineCount, cells }
  }
  // A stray quote must not swallow the lines up to the next one: the line stands alone, the others get their turn.
  const line = lines[at]
  if (line === undefined)
    return { lineCount: 1, error: `The line is longer than ${maxRecordLength} characters` }
  if (hasManyCells(line, delimiter))
    return { lineCount: 1, error: `The line has more than ${maxDelimiters} cells` }
  const cells = parseRecord(line, delimiter, 'lenient')
  return cells
    ? { lineCount: 1, cells }
    : { lineCount: 1, error: 'A cell starts with a quote (") that has no end' }
}

/** Lines up to where every quote has its partner; 0 when more have to come, 1 when they never meet. */
function countLines(lines: readonly Line[], at: number, isEnd: boolean): number {
  let isOpen = false
  let length = 0
  for (let i = at; i < lines.length; i++) {
    const line = lines[i]
    if (line === undefined) return 1
    if (hasOddQuotes(line)) isOpen = !isOpen
    if (!isOpen) return i - at + 1
    length += line.length + 1
    if (length > maxRecordLength) return 1
  }
  return isEnd && at < lines.length ? 1 : 0
}

function hasManyCells(text: string, delimiter: string): boolean {
  let count = 0
  for (let at = text.indexOf(delimiter); at >= 0; at = text.indexOf(delimiter, at + 1))
    if (++count > maxDelimiters) return true
  return false
}

function hasOddQuotes(line: string): boolean {
  let isOdd = false
  for (let at = line.indexOf('"'); at >= 0; at = line.indexOf('"', at + 1)) isOdd = !isOdd
  return isOdd
}

/** The cells of one record; undefined when its quotes are at fault. Lenient takes stray quotes inside cells as text. */
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
