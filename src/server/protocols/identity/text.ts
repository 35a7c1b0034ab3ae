/** Marks that show nothing and travel along when text is copied: soft hyphen, zero width, direction, byte order. */
const invisible = /[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g

export const stripInvisible = (text: string): string => text.replace(invisible, '')

/** Text as pasted, made comparable: invisible marks dropped, NFC, trimmed. Undefined when empty, too long or broken. */
export function cleanText(text: string, maxLength: number): string | undefined {
  if (text.length > maxLength || !text.isWellFormed()) return undefined
  return stripInvisible(text).normalize('NFC').trim() || undefined
}
