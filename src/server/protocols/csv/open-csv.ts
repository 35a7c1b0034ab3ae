import { createYielder } from '../../kernel/async/yield-to-event-loop.ts'
import { invalid } from '../../kernel/errors.ts'
import { stripInvisible } from '../identity/text.ts'
import { decodeCsv } from './decode.ts'
import { type CsvRecord, type Line, parseRecordAt, parseRecords, splitLines } from './records.ts'

const maxColumns = 500
/** Maximum length of a cell. Longer cells are truncated or rejected. */
export const maxCellLength = 10_000
/** Some programs write records above the header: LinkedIn's notes, Excel's `sep=;`, a report's title. */
const maxRecordsBeforeHeader = 20
const lookAheadLength = 256 * 1024

/** Counts the known column names in a record; 0 if it can't be the header. `isBelowData` makes the rule stricter. */
type CountNames = (cells: readonly string[], isBelowData: boolean) => number

export type OpenedCsv = {
  /** The column names; undefined when no record near the top contains a known one. */
  header: string[] | undefined
  /** True when a record near the top is data. */
  hasData: boolean
  /** The records above the header: titles, or data. */
  above: CsvRecord[]
  /** The unparsed lines near the top. */
  head: Line[]
  /** The records below the header; all records when there is no header. */
  records: AsyncGenerator<CsvRecord>
  /** Closes the stream; only needed when `records` is not read. */
  close: () => Promise<unknown>
}

/**
 * Opens a CSV file and finds its header and delimiter. Tries all delimiters: the header is the record near the top in
 * which `countNames` finds the most known names. A record that `isData` recognizes is never the header.
 */
export async function openCsv(
  stream: AsyncIterable<Uint8Array>,
  {
    countNames,
    isData = () => false,
    encoding,
  }: {
    countNames: CountNames
    isData?: (cells: readonly string[]) => boolean
    encoding?: string | undefined
  },
): Promise<OpenedCsv> {
  const lines = splitLines(decodeCsv(stream, encoding))
  const close = () => lines.return(undefined)
  try {
    const head = await lookAhead(lines)
    const { header, hasData } = await findHeader(head, countNames, isData)
    const lineCount = header?.lineCount ?? 0
    const records = parseRecords(head.slice(lineCount), lineCount + 1, lines, header?.delimiter ?? ',')
    return { header: header?.cells, hasData, above: header?.above ?? [], head, records, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function lookAhead(lines: AsyncGenerator<Line[]>): Promise<Line[]> {
  const head: Line[] = []
  for (let length = 0; length < lookAheadLength && head.length < 2 * maxRecordsBeforeHeader; ) {
    const next = await lines.next()
    if (next.done) break
    head.push(...next.value)
    length += next.value.reduce((sum, line) => sum + (line?.length ?? lookAheadLength), 0)
  }
  return head
}

type Header = {
  cells: string[]
  length: number
  delimiter: string
  lineCount: number
  score: number
  above: CsvRecord[]
}

async function findHeader(
  head: readonly Line[],
  countNames: CountNames,
  isData: (cells: readonly string[]) => boolean,
): Promise<{ header: Header | undefined; hasData: boolean }> {
  const yieldIfDue = createYielder()
  let best: Header | undefined
  let hasData = false
  for (const delimiter of [',', ';', '\t', '|']) {
    const above: CsvRecord[] = []
    let isBelowData = false
    let isBelowHeader = false
    let lineCount = 0
    for (let i = 0; i < maxRecordsBeforeHeader; i++) {
      await yieldIfDue()
      const record = parseRecordAt(head, lineCount, true, delimiter)
      if (!record) break
      const line = lineCount + 1
      lineCount += record.lineCount
      if (record.error !== undefined) {
        above.push({ line, error: record.error })
        continue
      }
      above.push({ line, cells: record.cells })
      if (isData(record.cells)) {
        hasData = isBelowData = true
        // A second header, as in concatenated files, must not turn the rows below the first header into titles.
        if (isBelowHeader) break
        continue
      }
      const { length } = record.cells
      const cells = record.cells.slice(0, maxColumns).map(cell => cleanCell(cell.slice(0, maxCellLength)))
      const score = countNames(cells, isBelowData)
      isBelowHeader ||= countNames(cells, true) > 0
      if (score > (best?.score ?? 0) || (score === best?.score && lineCount < best.lineCount))
        best = { cells, length, delimiter, lineCount, score, above: above.slice(0, -1) }
    }
  }
  if (best && best.length > maxColumns)
    throw invalid('', `The header has ${best.length} columns; at most ${maxColumns} can be read`)
  return { header: best, hasData }
}

/** Returns an error if a row has text beyond the header's last column, because its cells may be shifted. */
export const findExtraCells = (cells: readonly string[], width: number): string | undefined =>
  cells.slice(width).some(cell => cell.trim())
    ? `The row has ${cells.length} cells, but the header has ${width}: put quotes around cells that contain the delimiter`
    : undefined

/** Returns the error for a missing header. Its message lists known names. */
export function headerNotFound(head: readonly Line[], knownNames: string): Error {
  if (head.every(line => line?.trim() === '')) return invalid('', 'The file is empty')
  const first = head.find(line => line?.trim()) ?? 'an overlong line'
  return invalid(
    '',
    `No line near the top contains column names. Known names include: ${knownNames}; other names can be mapped. The file starts with ${JSON.stringify(first.slice(0, 80).toWellFormed())}`,
  )
}

/**
 * Returns a cell as one line, without invisible characters, placeholders, or the apostrophe that prevents a formula.
 */
export function cleanCell(cell: string): string {
  const text = stripInvisible(cell)
    .normalize('NFC')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  return /^(?:#?n\/a|[-–—]+)$/i.test(text) ? '' : text.replace(/^'(?=[=+\-@])/, '')
}
