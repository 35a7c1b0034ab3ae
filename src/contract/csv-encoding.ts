/** How text files of people's desks are encoded, which are seldom UTF-8; for whoever reads one, here or in a browser. */

/** A spreadsheet program's own file, or an archive, by its first bytes. */
export function isWorkbook([first = 0, second = 0, third = 0, fourth = 0]: Uint8Array): boolean {
  const magic = ((first << 24) | (second << 16) | (third << 8) | fourth) >>> 0
  return magic === 0x504b0304 || magic === 0xd0cf11e0
}

/** By the byte order mark; without one, UTF-16 shows in its zeros. Undefined where neither tells. */
export function unicodeOf(start: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' | undefined {
  const [first, second, third] = start
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  const pairs = Math.min(start.length >> 1, 512)
  let evenZeros = 0
  let oddZeros = 0
  for (let pair = 0; pair < pairs; pair++) {
    if (start[2 * pair] === 0) evenZeros++
    if (start[2 * pair + 1] === 0) oddZeros++
  }
  if (oddZeros > pairs * 0.4 && evenZeros === 0) return 'utf-16le'
  if (evenZeros > pairs * 0.4 && oddZeros === 0) return 'utf-16be'
  return undefined
}

/** Of a text read as UTF-8. Hardly any in another encoding has valid sequences; one in UTF-8 may have single bytes gone wrong. */
export function isMostlyRight(text: string): boolean {
  const beyondAscii = text.match(/[^\p{ASCII}]/gu) ?? []
  return 2 * beyondAscii.filter(character => character === '\ufffd').length <= beyondAscii.length
}

/** Signs that a text read as Windows-1252 is none: bytes without a meaning there, and runs of letters beyond ASCII. */
export const notWestern = /[\u0080-\u009f]|[[\p{L}\p{N}\p{S}]--\p{ASCII}]{5}/v
