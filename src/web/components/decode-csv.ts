import { detectUnicode, isMostlyValid, isWorkbook, nonWestern } from '../../contract/csv-encoding.ts'

/**
 * Decodes a CSV file by the same rules as the command line. Spreadsheet programs rarely save UTF-8. Throws when the
 * file is a workbook or its encoding can't be detected.
 */
export function decodeCsvFile(bytes: Uint8Array): string {
  if (isWorkbook(bytes))
    throw new Error('This file is a workbook or an archive. Save it as CSV UTF-8 and try again.')
  const unicode = detectUnicode(bytes)
  if (unicode) return new TextDecoder(unicode).decode(bytes)
  const text = new TextDecoder('utf-8').decode(bytes)
  if (isMostlyValid(text)) return text
  const western = new TextDecoder('windows-1252').decode(bytes)
  if (nonWestern.test(western))
    throw new Error('The file is neither Unicode nor Windows-1252. Save it as CSV UTF-8 and try again.')
  return western
}
