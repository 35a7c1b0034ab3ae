/** The text of a CSV file, by the rules of the command line: what a program on somebody's desk saves is seldom UTF-8. */
export function textOfCsv(bytes: Uint8Array): string {
  const [first = 0, second = 0, third = 0, fourth = 0] = bytes
  const magic = ((first << 24) | (second << 16) | (third << 8) | fourth) >>> 0
  if (magic === 0x504b0304 || magic === 0xd0cf11e0)
    throw new Error('This is a workbook or an archive and no CSV file: save it as CSV (UTF-8) and try again.')
  const unicode = unicodeOf(bytes)
  if (unicode) return new TextDecoder(unicode).decode(bytes)
  const text = new TextDecoder('utf-8').decode(bytes)
  if (isMostlyRight(text)) return text
  const western = new TextDecoder('windows-1252').decode(bytes)
  if (notWestern.test(western))
    throw new Error('The text is neither Unicode nor Windows-1252: save the file as CSV UTF-8.')
  return western
}

/** By the byte order mark; without one, UTF-16 shows in its zeros. */
function unicodeOf(bytes: Uint8Array): string | undefined {
  const [first, second, third] = bytes
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  const pairs = Math.min(bytes.length >> 1, 512)
  let evenZeros = 0
  let oddZeros = 0
  for (let pair = 0; pair < pairs; pair++) {
    if (bytes[2 * pair] === 0) evenZeros++
    if (bytes[2 * pair + 1] === 0) oddZeros++
  }
  if (oddZeros > pairs * 0.4 && evenZeros === 0) return 'utf-16le'
  if (evenZeros > pairs * 0.4 && oddZeros === 0) return 'utf-16be'
  return undefined
}

/** Hardly any text in another encoding has valid UTF-8 sequences; a UTF-8 file may have single bytes gone wrong. */
function isMostlyRight(text: string): boolean {
  const beyondAscii = text.match(/[^\p{ASCII}]/gu) ?? []
  return 2 * beyondAscii.filter(character => character === '\ufffd').length <= beyondAscii.length
}

/** Signs that a text read as Windows-1252 is none: bytes without a meaning there, and runs of letters beyond ASCII. */
const notWestern = /[\u0080-\u009f]|[[\p{L}\p{N}\p{S}]--\p{ASCII}]{5}/v
