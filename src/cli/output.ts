/** Where a command's words go: results to standard output, all else to standard error. */
export type Output = {
  /** The result: as JSON when asked for, else the text that `describe` makes of it. */
  result: <T>(value: T, describe: (value: T) => string) => void
  /** What happens meanwhile; nothing when quiet. */
  say: (message: string) => void
  isQuiet: boolean
}

export const outputFor = ({ json, quiet }: { json?: true; quiet?: true }): Output => ({
  result: (value, describe) => {
    process.stdout.write(`${json ? JSON.stringify(value, null, 2) : describe(value)}\n`)
  },
  say: message => {
    if (!quiet) process.stderr.write(`${message}\n`)
  },
  isQuiet: quiet ?? false,
})

/** Rows under a header, in columns as wide as they need to be. */
export function table(rows: readonly Record<string, unknown>[], empty: string): string {
  const [first] = rows
  if (!first) return empty
  const names = Object.keys(first)
  const lines = [names, ...rows.map(row => names.map(name => cell(row[name])))]
  const widths = names.map((_, column) => Math.max(...lines.map(line => line[column]!.length)))
  return lines
    .map(line =>
      line
        .map((text, column) => text.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** One line of what is shown: a name from a database must not move the cursor of a terminal. */
const cell = (value: unknown): string =>
  (value instanceof Date ? value.toISOString() : String(value ?? '')).replace(/\p{Cc}+/gu, ' ')
