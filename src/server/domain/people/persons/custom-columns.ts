import type { Input } from '../../../../contract/index.ts'
import { authorize, type Context } from '../../../kernel/context.ts'
import { invalid } from '../../../kernel/errors.ts'
import { createCustomField } from '../custom-fields/custom-fields.ts'
import { openCustomParser } from '../custom-fields/custom-values.ts'
import type { CsvFile } from './csv-rows.ts'

/** Keys of custom fields by the index of their column. */
export type CustomColumns = ReadonlyMap<number, string>

/** Returns the columns that contain custom field values. Throws ValidationError for an unknown column. */
export const locateColumns = (
  { header }: Pick<CsvFile, 'header'>,
  keys: Record<string, string> = {},
): CustomColumns =>
  new Map(
    Object.entries(keys).map(([name, key]) => {
      const index = header.findIndex(column => column.trim() === name.trim())
      if (index === -1) throw invalid(`customColumns.${name.slice(0, 100)}`, 'column does not exist')
      return [index, key]
    }),
  )

/** Returns the labels of the custom fields in a file or in rows, by key. */
export const getLabels = (
  source:
    | { file: Pick<CsvFile, 'header'> & { custom: CustomColumns } }
    | { rows: NonNullable<Input<'importPersons'>['rows']> },
): Map<string, string> =>
  new Map(
    'rows' in source
      ? source.rows.flatMap(({ custom = {} }) =>
          Object.keys(custom).map((key): [string, string] => [key, key]),
        )
      : [...source.file.custom].map(([index, key]): [string, string] => [key, source.file.header[index]!]),
  )

/** Creates the custom fields that an import requests and that don't exist yet. */
export async function createMissingFields(
  ctx: Context,
  labels: ReadonlyMap<string, string>,
  {
    createCustomFields,
    customFields = [],
  }: Pick<Input<'importPersons'>, 'createCustomFields' | 'customFields'>,
): Promise<void> {
  if (!createCustomFields && customFields.length === 0) return
  const known = new Set((await openCustomParser(ctx, 'person')).keys)
  const textFields = createCustomFields
    ? [...labels].map(([key, label]) => ({ key, label: label.slice(0, 100), type: 'text' as const }))
    : []
  const wanted = new Map([...textFields, ...customFields].map(field => [field.key, field]))
  if (createCustomFields) authorize(ctx, 'Campaign.EditCampaign')
  for (const field of wanted.values()) {
    if (known.has(field.key)) continue
    authorize(ctx, 'Campaign.EditCampaign')
    await createCustomField(ctx, { ...field, appliesTo: 'person' })
  }
}
