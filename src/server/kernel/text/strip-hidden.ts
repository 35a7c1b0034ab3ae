/**
 * Control characters, and those that make a text show as other than it reads: direction overrides, characters without
 * width and the invisible copies of ASCII.
 */
const hidden = /[\p{Cc}\u200b\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu

export const stripHidden = (text: string): string =>
  text.replace(hidden, character => (character === '\n' || character === '\t' ? character : ''))
