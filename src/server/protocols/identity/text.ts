/** Invisible characters that are copied along with text: soft hyphens, zero-width, direction and byte order marks. */
const invisibleCharacters = /[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g

export const stripInvisible = (text: string): string => text.replace(invisibleCharacters, '')

/**
 * Normalizes pasted text: removes invisible characters, applies NFC and trims. Returns undefined when the text is
 * empty, too long or malformed.
 */
export function cleanText(text: string, maxLength: number): string | undefined {
  if (text.length > maxLength || !text.isWellFormed()) return undefined
  return stripInvisible(text).normalize('NFC').trim() || undefined
}

/**
 * Removes line breaks and invisible characters, because names appear in mail headers and greetings. Returns null when
 * nothing is left.
 */
export const toOneLine = (text: string | null | undefined): string | null =>
  (text &&
    stripInvisible(text.toWellFormed())
      .normalize('NFC')
      .replace(/[\s\p{Cc}]+/gu, ' ')
      .trim()) ||
  null
