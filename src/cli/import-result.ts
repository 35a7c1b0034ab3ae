import { appendFileSync, closeSync, openSync } from 'node:fs'
import {
  describeColumns,
  type ImportFile,
  type ImportFileRow,
  type RowOutcome,
} from '../server/domain/people/persons/import-rows.ts'
import { toMissingMessage } from '../server/domain/prospects/add-prospects.ts'
import { writeCsvRow } from '../server/protocols/csv/write.ts'

const BLOCK_LENGTH = 64 * 1024
const MAX_ISSUES = 20

/** The result file of an import: every row as read, with its line, outcome and reason. */
type ImportResult = Disposable & {
  begin: (file: Omit<ImportFile, 'rows'>) => void
  add: (row: ImportFileRow, outcome: RowOutcome & { missing?: string[] | undefined }) => void
  summary: () => {
    outcomes: Record<string, number>
    columns: Record<string, string>
    ignoredColumns: string[]
    /** The first invalid rows. */
    issues: { line: number; reason: string }[]
    /** Added prospects that lack a value for a variable of the steps. */
    incomplete: number
  }
}

/** Creates the file once the header of the import is read, so an unreadable import leaves none behind. */
export function openImportResult(path: string): ImportResult {
  const outcomes: Record<string, number> = {}
  const issues: { line: number; reason: string }[] = []
  let file: Omit<ImportFile, 'rows'> = { header: [], columns: [], ignored: [], custom: new Map() }
  let descriptor: number | undefined
  let block = ''
  let incomplete = 0
  const flush = () => {
    const text = block
    // Cleared first: after a failure, closing must not fail for the same reason.
    block = ''
    if (descriptor !== undefined) appendFileSync(descriptor, text)
  }
  return {
    begin: opened => {
      file = opened
      descriptor = openSync(path, 'w')
      block = `\ufeff${writeCsvRow([...file.header, 'line', 'outcome', 'reason'])}`
      flush()
    },
    add: ({ line, raw }, { outcome, missing, reason = missing && toMissingMessage(missing) }) => {
      if (missing) incomplete++
      if (outcome === 'invalid' && issues.length < MAX_ISSUES) issues.push({ line, reason: reason ?? '' })
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
      const cells = file.header.map((_, column) => raw[column] ?? '')
      block += writeCsvRow([...cells, line, outcome, reason])
      if (block.length >= BLOCK_LENGTH) flush()
    },
    summary: () => ({
      outcomes,
      ...describeColumns(file),
      issues,
      incomplete,
    }),
    [Symbol.dispose]: () => {
      try {
        flush()
      } finally {
        if (descriptor !== undefined) closeSync(descriptor)
      }
    },
  }
}
