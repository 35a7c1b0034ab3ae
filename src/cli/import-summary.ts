import { formatQuantity } from './output.ts'
import { UsageError } from './usage-error.ts'

/** Exit code of an import that left out invalid rows. */
const EXIT_INVALID_ROWS = 3

/** Makes the command exit with 3 when rows were invalid, so that a script notices that the import is incomplete. */
export function setImportExitCode(invalid: number): void {
  if (invalid > 0) process.exitCode = EXIT_INVALID_ROWS
}

/** Returns the `--map` columns with their fields; null ignores a column. Throws UsageError for an unknown field. */
export function toColumnFields<Name extends string>(
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

export const formatColumns = (columns: Record<string, string>, ignored: readonly string[]): string[] => [
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
