import { formatQuantity } from './output.ts'
import { UsageError } from './usage-error.ts'

/** Returns the `--map` columns with their fields; null ignores a column. Throws UsageError for an unknown field. */
export function parseFields<Name extends string>(
  mapping: Record<string, string | null>,
  names: readonly Name[],
): Record<string, Name | null> {
  return Object.fromEntries(
    Object.entries(mapping).map(([column, field]) => {
      const known = names.find(name => name === field)
      if (field !== null && !known)
        throw new UsageError(`Unknown field "${field}"; allowed fields: ${names.join(', ')}.`)
      return [column, known ?? null]
    }),
  )
}

export const describeColumns = (columns: Record<string, string>, ignored: readonly string[]): string[] => [
  `Imported columns: ${Object.entries(columns)
    .map(([name, field]) => `${name} → ${field}`)
    .join(', ')}`,
  ...(ignored.length > 0 ? [`Ignored columns: ${ignored.join(', ')}`] : []),
]

/** Returns a line for each reported row, and how many more are invalid. */
export const describeIssues = (
  issues: readonly { line: number; reason: string }[],
  invalid: number,
): string[] => [
  ...issues.map(({ line, reason }) => `Line ${line}: ${reason}`),
  ...(invalid > issues.length ? [`… and ${formatQuantity(invalid - issues.length, 'more row')}`] : []),
]
