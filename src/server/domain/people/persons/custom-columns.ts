import type { Input } from '../../../../contract/index.ts'
import { mapPersonInputs } from '../../../../contract/person-fields.ts'
import { authorize, type Context } from '../../../kernel/context.ts'
import { invalid } from '../../../kernel/errors.ts'
import { createCustomField } from '../custom-fields/custom-fields.ts'
import { type CustomValues, openCustomParser } from '../custom-fields/custom-values.ts'
import type { CsvFile, CsvRow } from './csv-rows.ts'
import type { PersonElement } from './parse-person.ts'

/** A row of a file or request; `error` says why it can't be read. */
export type ImportRow = {
  line: number
  element: PersonElement
  custom: CustomValues
  error?: string | undefined
}

type Options = Pick<Input<'importPersons'>, 'customColumns' | 'createCustomFields' | 'customFields'>
type Elements = NonNullable<Input<'importPersons'>['rows']>

/** Keys of custom fields by the index of their column. */
export type CustomColumns = ReadonlyMap<number, string>

/** Returns the columns with values of custom fields. Throws ValidationError for an unknown column. */
export const locateColumns = (
  { header }: Pick<CsvFile, 'header'>,
  { customColumns = {} }: Options,
): CustomColumns =>
  new Map(
    Object.entries(customColumns).map(([name, key]) => {
      const index = header.findIndex(column => column.trim() === name.trim())
      if (index === -1) throw invalid(`customColumns.${name.slice(0, 100)}`, 'column does not exist')
      return [index, key]
    }),
  )

/** Returns the labels of the fields that a file or rows have values for, by key. */
export const getLabels = (
  source: { file: Pick<CsvFile, 'header'>; columns: CustomColumns } | { rows: Elements },
): Map<string, string> =>
  new Map(
    'rows' in source
      ? source.rows.flatMap(({ custom = {} }) =>
          Object.keys(custom).map((key): [string, string] => [key, key]),
        )
      : [...source.columns].map(([index, key]): [string, string] => [key, source.file.header[index]!]),
  )

/** Creates the custom fields that an import asks for and that don't exist. */
export async function createMissingFields(
  ctx: Context,
  labels: ReadonlyMap<string, string>,
  { createCustomFields, customFields = [] }: Options,
): Promise<void> {
  if (!createCustomFields && customFields.length === 0) return
  const known = new Set((await openCustomParser(ctx, 'person')).keys)
  const texts = createCustomFields
    ? [...labels].map(([key, label]) => ({ key, label: label.slice(0, 100), type: 'text' as const }))
    : []
  const wanted = new Map([...texts, ...customFields].map(field => [field.key, field]))
  if (createCustomFields) authorize(ctx, 'Campaign.EditCampaign')
  for (const field of wanted.values()) {
    if (known.has(field.key)) continue
    authorize(ctx, 'Campaign.EditCampaign')
    await createCustomField(ctx, { ...field, appliesTo: 'person' })
  }
}

/** Returns what a row says about a person and the values of its custom fields. */
export function toImportRow({ line, raw, values = {}, error }: CsvRow, columns: CustomColumns): ImportRow {
  const custom = Object.fromEntries(
    [...columns].flatMap(([index, key]) => (raw[index]?.trim() ? [[key, raw[index]!]] : [])),
  )
  return { line, element: values, custom, error }
}

/** Returns the rows of a request. */
export const toImportRows = (rows: Elements): ImportRow[] =>
  rows.map(({ company, website, custom = {}, ...fields }, index) => ({
    line: index + 1,
    element: { ...mapPersonInputs(field => fields[field]), company, website },
    custom,
  }))

/** Returns the columns that an import read, for its result. */
export const describeColumns = (
  file: Pick<CsvFile, 'header' | 'columns' | 'ignored'> | undefined,
  columns: CustomColumns,
): { columns: Record<string, string>; ignoredColumns: string[] } => ({
  columns: Object.fromEntries([
    ...(file?.columns ?? []).map(({ name, field }) => [name, field]),
    ...[...columns].map(([index, key]) => [file!.header[index]!, `custom.${key}`]),
  ]),
  ignoredColumns: (file?.ignored ?? []).filter(name => !columns.has(file!.header.indexOf(name))),
})
