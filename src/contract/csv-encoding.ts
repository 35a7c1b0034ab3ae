/**
 * Detects the encoding of text files, which spreadsheet programs seldom write as UTF-8. Shared by server and browser.
 */

/** Reports whether a file that starts with these bytes is an Excel workbook or a ZIP archive. */
export function isWorkbook([first = 0, second = 0, third = 0, fourth = 0]: Uint8Array): boolean {
  const magic = ((first << 24) | (second << 16) | (third << 8) | fourth) >>> 0
  return magic === 0x504b0304 || magic === 0xd0cf11e0
}

/** Detects Unicode by the byte order mark or, without one, UTF-16 by its zero bytes; returns undefined otherwise. */
export function detectUnicode(start: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' | undefined {
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

/**
 * Reports whether at least half of the non-ASCII characters of text decoded as UTF-8 are valid. Text in another
 * encoding hardly ever contains valid sequences.
 */
export function isMostlyValid(text: string): boolean {
  const nonAscii = text.match(/[^\p{ASCII}]/gu) ?? []
  return 2 * nonAscii.filter(character => character === '\ufffd').length <= nonAscii.length
}

/**
 * Matches text that cannot be Windows-1252: bytes it does not define, and runs of non-ASCII letters, digits or symbols.
 */
export const nonWestern = /[\u0080-\u009f]|[[\p{L}\p{N}\p{S}]--\p{ASCII}]{5}/v
