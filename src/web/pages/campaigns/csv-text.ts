import { detectUnicode, isMostlyValid, isWorkbook, nonWestern } from '../../../contract/csv-encoding.ts'

/** The text of a CSV file, by the rules of the command line: what a program on somebody's desk saves is seldom UTF-8. */
export function textOfCsv(bytes: Uint8Array): string {
  if (isWorkbook(bytes))
    throw new Error('This is a workbook or an archive and no CSV file: save it as CSV (UTF-8) and try again.')
  const unicode = detectUnicode(bytes)
  if (unicode) return new TextDecoder(unicode).decode(bytes)
  const text = new TextDecoder('utf-8').decode(bytes)
  if (isMostlyValid(text)) return text
  const western = new TextDecoder('windows-1252').decode(bytes)
  if (nonWestern.test(western))
    throw new Error('The text is neither Unicode nor Windows-1252: save the file as CSV UTF-8.')
  return western
}
