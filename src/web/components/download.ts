import { formulaStart } from '../../contract/csv-formula.ts'

/** Returns a cell in quotes if it needs them. An apostrophe keeps spreadsheet programs from running formulas. */
const toCell = (text: string): string => {
  const safe = text.replace(formulaStart, "$1'")
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Returns a CSV file. Without the byte order mark, Excel would read UTF-8 as Windows-1252. */
export const toCsv = (rows: string[][]): string =>
  `\ufeff${rows.map(row => `${row.map(toCell).join(',')}\r\n`).join('')}`

/** Saves text as a file. */
export function downloadFile(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
