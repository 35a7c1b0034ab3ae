import type { Output, RawInput } from '../../../../contract/index.ts'
import { toBatches } from '../../../ui/run-concurrently.ts'
import { type ColumnMapping, getChoices, getCustomKey, getField } from './mapping.ts'
import type { CsvTable } from './parse-csv.ts'
import { blockedFields, getCells, type ImportPlan, type RowResult, toReadable } from './plan.ts'

/** Settings for everyone in an import. */
export type ImportOptions = {
  tags: string[]
  ownerRepId: string | undefined
  /** The campaign to add them to. */
  campaign: Pick<Output<'getCampaign'>, 'id' | 'name' | 'status'> | undefined
}

const quote = (text: string): string => {
  const cell = text.replace(/\r\n?/g, '\n')
  return /[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}

const formatLine = (cells: readonly string[]): string => cells.map(quote).join(',')

/** Returns a CSV file, and the line of each of its records. */
function toFile(records: readonly string[]): { csv: string; lines: number[] } {
  let next = 1
  const lines = records.map(record => {
    const line = next
    next += record.split('\n').length
    return line
  })
  return { csv: `${records.join('\n')}\n`, lines }
}

/** Returns the request that imports these rows, and the line of each row in the request. */
export function toRequest(
  table: CsvTable,
  columns: readonly ColumnMapping[],
  rows: readonly number[],
): {
  input: Pick<RawInput<'importProspects'>, 'csv' | 'map' | 'customColumns' | 'customFields'>
  lines: number[]
} {
  const { csv, lines } = toFile([
    formatLine(columns.map(({ name }) => name)),
    ...rows.map(index => formatLine(columns.map(column => table.rows[index]!.cells[column.index] ?? ''))),
  ])
  const customFields = columns.flatMap(({ target, field: { label, type }, ...column }) => {
    if (target !== 'new') return []
    const key = getCustomKey({ target, field: { label, type } })!
    const choices = type === 'choice' ? getChoices(table, column.index) : undefined
    return [{ key, label: label.trim(), type, ...(choices && { choices }) }]
  })
  return {
    input: {
      csv,
      map: Object.fromEntries(
        columns.flatMap(column => {
          const field = getField(column)
          return field ? [[column.name, field]] : []
        }),
      ),
      customColumns: Object.fromEntries(
        columns.flatMap(column => {
          const key = getCustomKey(column)
          return key ? [[column.name, key]] : []
        }),
      ),
      ...(customFields.length > 0 && { customFields }),
    },
    lines: lines.slice(1),
  }
}

const unreadable: RowResult = { outcome: 'invalid', reason: 'The row could not be read' }

/** Returns the outcome of each row of a request. */
export function toResults(
  { persons, issues, riskyAddresses }: Pick<Output<'importPersons'>, 'persons' | 'issues' | 'riskyAddresses'>,
  lines: readonly number[],
  columns: readonly ColumnMapping[],
): RowResult[] {
  const risks = toRisks(riskyAddresses)
  const byLine = new Map<number, RowResult>([
    ...persons.map(({ line, outcome }): [number, RowResult] => [line, { outcome, risk: risks.get(line) }]),
    ...issues.map(({ line, outcome, reason = '' }): [number, RowResult] => [
      line,
      { outcome: outcome === 'invalid' ? 'invalid' : 'optedOut', reason: toReadable(reason, columns) },
    ]),
  ])
  return lines.map(line => byLine.get(line) ?? unreadable)
}

const toRisks = (risky: Output<'importPersons'>['riskyAddresses']) =>
  new Map(risky?.rows.map(({ line, message }) => [line, message]))

const prospectOutcomes = {
  added: 'created',
  already_in_campaign: 'inCampaign',
  in_other_active_campaign: 'elsewhere',
  duplicate_in_request: 'duplicate',
  do_not_contact: 'optedOut',
  invalid: 'invalid',
} as const

/** Returns the outcome of each row of a request that adds people to a campaign. */
export function toProspectResults(
  {
    prospects,
    issues,
    riskyAddresses,
  }: Pick<Output<'importProspects'>, 'prospects' | 'issues' | 'riskyAddresses'>,
  lines: readonly number[],
  columns: readonly ColumnMapping[],
): RowResult[] {
  const risks = toRisks(riskyAddresses)
  const byLine = new Map<number, RowResult>([
    ...issues.map(({ line, outcome, reason = '' }): [number, RowResult] => [
      line,
      {
        outcome: prospectOutcomes[outcome],
        ...((outcome === 'invalid' || outcome === 'do_not_contact') && {
          reason: toReadable(reason, columns),
        }),
      },
    ]),
    ...prospects.flatMap(({ line, outcome, missing }): [number, RowResult][] =>
      outcome === 'added' ? [[line, { outcome: 'created', missing, risk: risks.get(line) }]] : [],
    ),
  ])
  return lines.map(line => byLine.get(line) ?? unreadable)
}

/** A CSV file of contact details of opted-out people. `rows` maps each line to the imported rows with its detail. */
type OptOutFile = { csv: string; rows: ReadonlyMap<number, readonly number[]> }

/** A response lists at most this many invalid lines. */
const MAX_OPT_OUT_LINES = 1_000

/** Returns CSV files with all contact details of the people marked as opted out, each on a line of its own. */
export function toOptOutFiles(table: CsvTable, { columns, optedOut }: ImportPlan): OptOutFile[] {
  const details = optedOut.flatMap(index => {
    const cells = getCells(table.rows[index]!.cells, columns)
    return blockedFields.flatMap(field =>
      (cells.get(field) ?? []).map(cell => ({
        index,
        record: formatLine(blockedFields.map(name => (name === field ? cell : ''))),
      })),
    )
  })
  const unique = [...Map.groupBy(details, ({ record }) => record)]
  return toBatches(unique, MAX_OPT_OUT_LINES).map(batch => {
    const { csv, lines } = toFile([formatLine(blockedFields), ...batch.map(([record]) => record)])
    const rows = batch.map(([, found], position): [number, number[]] => [
      lines[position + 1]!,
      found.map(({ index }) => index),
    ])
    return { csv, rows: new Map(rows) }
  })
}

/** Returns the rows with a contact detail that the Do Not Contact list did not accept, with the reason. */
export const toOptOutFailures = (
  { rows }: OptOutFile,
  { issues }: Pick<Output<'importOptOuts'>, 'issues'>,
): Map<number, RowResult> =>
  new Map(
    issues.flatMap(({ line, reason }) =>
      (rows.get(line) ?? []).map((index): [number, RowResult] => [
        index,
        { outcome: 'invalid', reason: `${toReadable(reason)}; not added to the Do Not Contact list` },
      ]),
    ),
  )
