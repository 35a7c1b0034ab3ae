/** A command's output: the result goes to standard output, everything else to standard error. */
export type Output = {
  /** Prints the value as JSON with `--json`, otherwise the text that `describe` returns. */
  result: <T>(value: T, describe: (value: T) => string) => void
  /** Prints a message to standard error; nothing with `--quiet`. */
  info: (message: string) => void
  isQuiet: boolean
}

export const createOutput = ({ json, quiet }: { json?: true; quiet?: true }): Output => ({
  result: (value, describe) => {
    process.stdout.write(`${json ? JSON.stringify(value, null, 2) : describe(value)}\n`)
  },
  info: message => {
    if (!quiet) process.stderr.write(`${message}\n`)
  },
  isQuiet: quiet ?? false,
})

/** Formats a number with thousands separators. */
export const formatCount = (count: number): string => count.toLocaleString('en')

/** Formats a number with its noun, as in "1 row" and "2,000 rows". */
export const formatQuantity = (count: number, noun: string, plural = `${noun}s`): string =>
  `${formatCount(count)} ${count === 1 ? noun : plural}`

/** Formats rows as an aligned table under a header; returns `emptyText` when there are none. */
export function formatTable(rows: readonly Record<string, unknown>[], emptyText: string): string {
  const [first] = rows
  if (!first) return emptyText
  const names = Object.keys(first)
  const lines = [names, ...rows.map(row => names.map(name => formatCell(row[name])))]
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

/** Formats a value on one line, without control characters, because a stored name must not control the terminal. */
const formatCell = (value: unknown): string =>
  (value instanceof Date ? value.toISOString() : String(value ?? '')).replace(/\p{Cc}+/gu, ' ')
