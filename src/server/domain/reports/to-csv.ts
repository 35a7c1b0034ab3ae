import { z } from 'zod'
import type { Operation } from '../../../contract/operation.ts'
import { type CsvCell, writeCsvHeader, writeCsvRow } from '../../protocols/csv/write.ts'

type Schema = { $ref?: string; $defs?: Fields; properties?: Fields; items?: Schema }
type Fields = Record<string, Schema>
type Row = { [field: string]: CsvCell | Row }

/**
 * Returns the rows of a response as CSV, with a column for each field; a field of a nested object is named like
 * `rates.replied`. Only a compared report has columns of the previous period.
 */
export function toCsv({ csv, output }: Operation, text: string): string {
  const response = JSON.parse(text) as Record<string, Row[]>
  const columns = listColumns(output, csv!).filter(([name]) => name !== 'before' || response.comparedWith)
  const rows = response[csv!] ?? []
  const header = writeCsvHeader(columns.map(path => path.join('.')))
  return header + rows.map(row => writeCsvRow(columns.map(path => readCell(row, path)))).join('')
}

function listColumns(output: z.ZodType, field: string): string[][] {
  const root = z.toJSONSchema(output, { unrepresentable: 'any' }) as Schema
  const resolve = (schema: Schema): Schema =>
    schema.$ref ? root.$defs![schema.$ref.split('/').at(-1)!]! : schema
  const list = (schema: Schema): string[][] =>
    Object.entries(resolve(schema).properties ?? {}).flatMap(([name, child]) =>
      resolve(child).properties ? list(child).map(path => [name, ...path]) : [[name]],
    )
  return list(resolve(root).properties![field]!.items!)
}

const readCell = (row: Row, path: readonly string[]): CsvCell =>
  path.reduce<Row | CsvCell>((value, name) => (value as Row | undefined)?.[name], row) as CsvCell
