import { canIdentify, normalizeName, recognizeColumns } from '../../../../contract/csv-headers.ts'
import { recognizeOptOutColumn } from '../../../../contract/csv-opt-out-columns.ts'
import type { customFieldTypes } from '../../../../contract/custom-fields.ts'
import { type ProspectField, prospectFields } from '../../../../contract/person-fields.ts'
import { toCustomFieldKey } from '../../../components/custom-field-key.ts'
import type { CustomField } from '../custom-values.tsx'
import type { CsvTable } from './parse-csv.ts'

export type FieldType = (typeof customFieldTypes)[number]

/**
 * The target of a column: none (''), `field:` and a field of people, `custom:` and the key of a custom field, a new
 * custom field, or a flag for people who opted out or gave no consent.
 */
export type Target = '' | `field:${ProspectField}` | `custom:${string}` | 'new' | 'optedOut' | 'consent'

export type ColumnMapping = {
  name: string
  index: number
  /** The order among columns of the same field. */
  rank: number
  target: Target
  /** The custom field to create with the target `new`. */
  field: { label: string; type: FieldType }
}

export const fieldLabels: Record<ProspectField, string> = {
  firstName: 'First name',
  lastName: 'Last name',
  fullName: 'Full name',
  email: 'Email',
  phone: 'Phone',
  linkedinUrl: 'LinkedIn profile',
  jobTitle: 'Job title',
  company: 'Company',
  website: 'Company website',
  city: 'City',
  state: 'State or region',
  country: 'Country',
  timezone: 'Time zone',
}

const isField = (name: string): name is ProspectField => prospectFields.includes(name as ProspectField)

/** Returns the field of people that a column is mapped to. */
export function getField({ target }: Pick<ColumnMapping, 'target'>): ProspectField | undefined {
  const name = target.slice('field:'.length)
  return target.startsWith('field:') && isField(name) ? name : undefined
}

/** Returns the key of the custom field that a column is mapped to, existing or new. */
export function getCustomKey({ target, field }: Pick<ColumnMapping, 'target' | 'field'>): string | undefined {
  if (target === 'new') return toCustomFieldKey(field.label)
  return target.startsWith('custom:') ? target.slice('custom:'.length) : undefined
}

/** Returns up to three different values of a column. */
export function getSamples({ rows }: CsvTable, index: number): string[] {
  const samples = new Set<string>()
  for (const { cells } of rows) {
    const cell = cells[index]?.trim()
    if (cell) samples.add(cell)
    if (samples.size === 3) break
  }
  return [...samples]
}

function* getValues({ rows }: CsvTable, index: number): Generator<string> {
  for (const { cells } of rows) if (cells[index]) yield cells[index]
}

/** Guesses what the columns contain: by their names, then by their values. */
export function guessMapping(table: CsvTable, customFields: readonly CustomField[]): ColumnMapping[] {
  const recognized = recognizeColumns(table.header)
  const ranks = new Map(recognized.map(({ index }, rank) => [index, rank]))
  const fields = new Map(recognized.map(({ index, field }) => [index, field]))
  const custom = new Map(
    customFields.flatMap(({ key, label }) => [key, label].map(name => [normalizeName(name), key] as const)),
  )
  const usedFields = new Set(fields.values())
  const guess = (name: string, index: number): Target => {
    const field = fields.get(index)
    const samples = getSamples(table, index)
    // A column named "URL" holds profiles in LinkedIn's exports, but other links elsewhere.
    if (field && (field !== 'linkedinUrl' || /linkedin/i.test([name, ...samples].join(' '))))
      return `field:${field}`
    const key = custom.get(normalizeName(name))
    if (key) return `custom:${key}`
    const optOut = recognizeOptOutColumn(name, getValues(table, index))
    if (optOut) return optOut
    const byValue = samples.length > 0 ? guessByValues(samples) : undefined
    if (!byValue || usedFields.has(byValue)) return ''
    usedFields.add(byValue)
    return `field:${byValue}`
  }
  return table.header.map((name, index) => ({
    name,
    index,
    rank: ranks.get(index) ?? Number.MAX_SAFE_INTEGER,
    target: guess(name, index),
    field: { label: name, type: 'text' },
  }))
}

function guessByValues(samples: readonly string[]): ProspectField | undefined {
  if (samples.every(sample => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(sample))) return 'email'
  return samples.every(sample => /linkedin\.com\/in\//i.test(sample)) ? 'linkedinUrl' : undefined
}

const MAX_CHOICES = 100

/** Returns the different values of a column as choices; undefined if there are too many or one is too long. */
export function getChoices(table: CsvTable, index: number): string[] | undefined {
  const choices = new Map<string, string>()
  for (const value of getValues(table, index)) {
    const choice = value.normalize('NFC').trim()
    if (choice.length > 200) return undefined
    if (choice && !choices.has(choice.toLowerCase())) choices.set(choice.toLowerCase(), choice)
    if (choices.size > MAX_CHOICES) return undefined
  }
  return choices.size > 0 ? [...choices.values()] : undefined
}

/** Returns the errors of the mapping by column index; an error about all columns is under ''. */
export function findErrors(
  table: CsvTable,
  columns: readonly ColumnMapping[],
  customFields: readonly CustomField[],
): Map<number | '', string> {
  const errors = new Map<number | '', string>()
  const keys = new Set(customFields.map(({ key }) => key.toLowerCase()))
  for (const column of columns) {
    if (column.target !== 'new') continue
    const key = toCustomFieldKey(column.field.label).toLowerCase()
    if (!column.field.label.trim()) errors.set(column.index, 'Enter a name for the field.')
    else if (keys.has(key)) errors.set(column.index, 'A field with this name exists. Choose another name.')
    else if (column.field.type === 'choice' && !getChoices(table, column.index))
      errors.set(
        column.index,
        'A choice field has 1 to 100 different options of up to 200 characters. Choose another type.',
      )
    keys.add(key)
  }
  if (!canIdentify(columns.flatMap(column => getField(column) ?? [])))
    errors.set(
      '',
      'Choose the column with email addresses, LinkedIn profiles or phone numbers. Without one, people need a first name, a last name and a company.',
    )
  return errors
}
