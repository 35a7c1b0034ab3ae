/**
 * Control characters and characters that make text look different from what it says: direction overrides, zero-width
 * characters and invisible tag characters.
 */
const hidden = /[\p{Cc}\u200b\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu

/** Removes hidden characters except line breaks and tabs. */
export const stripHidden = (text: string): string =>
  text.replace(hidden, character => (character === '\n' || character === '\t' ? character : ''))
