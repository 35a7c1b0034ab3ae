import { createYielder } from '../../kernel/async/yield-to-event-loop.ts'
import { invalid } from '../../kernel/errors.ts'
import { stripInvisible } from '../identity/text.ts'
import { decodeCsv } from './decode.ts'
import { type CsvRecord, type Line, parseRecordAt, parseRecords, splitLines } from './records.ts'

const maxColumns = 500
/** Longer cells are not looked into. */
export const maxCellLength = 10_000
/** Lines before the header that a tool may write: LinkedIn's notes, Excel's `sep=;`, a report's title. */
const maxRecordsToHeader = 20
const lookAheadLength = 256 * 1024

export type OpenedCsv = {
  /** The names of the columns; undefined when no line near the top holds one that is known. */
  header: string[] | undefined
  /** The lines near the top, as they stand. */
  head: Line[]
  /** Every record below the header, or every one when there is none. */
  records: AsyncGenerator<CsvRecord>
  /** For who does not read the records: whoever does, closes the stream by it. */
  close: () => Promise<unknown>
}

/**
 * Opens a CSV text and looks for its header: the record near the top with the most names that `countNames` knows, read
 * with the delimiter that shows them.
 */
export async function openCsv(
  stream: AsyncIterable<Uint8Array>,
  {
    countNames,
    encoding,
  }: { countNames: (cells: readonly string[]) => number; encoding?: string | undefined },
): Promise<OpenedCsv> {
  const lines = splitLines(decodeCsv(stream, encoding))
  const close = () => lines.return(undefined)
  try {
    const head = await lookAhead(lines)
    const found = await findHeader(head, countNames)
    const lineCount = found?.lineCount ?? 0
    const records = parseRecords(head.slice(lineCount), lineCount + 1, lines, found?.delimiter ?? ',')
    return { header: found?.cells, head, records, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function lookAhead(lines: AsyncGenerator<Line[]>): Promise<Line[]> {
  const head: Line[] = []
  for (let length = 0; length < lookAheadLength && head.length < 2 * maxRecordsToHeader; ) {
    const next = await lines.next()
    if (next.done) break
    head.push(...next.value)
    length += next.value.reduce((sum, line) => sum + (line?.length ?? lookAheadLength), 0)
  }
  return head
}

/** The lines among which a header may be. */
export const getHeaderLines = (head: readonly Line[]): readonly Line[] =>
  head.slice(0, 2 * maxRecordsToHeader)

type Header = { cells: string[]; length: number; delimiter: string; lineCount: number; score: number }

async function findHeader(
  head: readonly Line[],
  countNames: (cells: readonly string[]) => number,
): Promise<Header | undefined> {
  const yieldIfDue = createYielder()
  let best: Header | undefined
  for (const delimiter of [',', ';', '\t', '|']) {
    let lineCount = 0
    for (let i = 0; i < maxRecordsToHeader; i++) {
      await yieldIfDue()
      const taken = parseRecordAt(head, lineCount, true, delimiter)
      if (!taken) break
      lineCount += taken.lineCount
      if (taken.error !== undefined) continue
      const { length } = taken.cells
      const cells = taken.cells.slice(0, maxColumns).map(cell => cleanCell(cell.slice(0, maxCellLength)))
      const score = countNames(cells)
      if (score > (best?.score ?? 0) || (score === best?.score && lineCount < best.lineCount))
        best = { cells, length, delimiter, lineCount, score }
    }
  }
  if (best && best.length > maxColumns)
    throw invalid('', `The header has ${best.length} columns; at most ${maxColumns} can be read`)
  return best
}

/** Says that there is no header, and which names would make one. */
export function headerNotFound(head: readonly Line[], knownNames: string): Error {
  if (head.every(line => line?.trim() === '')) return invalid('', 'The file is empty')
  const first = head.find(line => line?.trim()) ?? 'a line that never ends'
  return invalid(
    '',
    `No line near the top names the columns. Known names are, among others: ${knownNames}; other names can be mapped. The file begins with ${JSON.stringify(first.slice(0, 80).toWellFormed())}`,
  )
}

/** One line without what does not show; no placeholder, no apostrophe that kept a spreadsheet from calculating. */
export function cleanCell(cell: string): string {
  const text = stripInvisible(cell)
    .normalize('NFC')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  return /^(?:#?n\/a|[-–—]+)$/i.test(text) ? '' : text.replace(/^'(?=[=+\-@])/, '')
}
