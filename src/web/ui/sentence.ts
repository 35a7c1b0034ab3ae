/** Returns the text with a capital first letter and closing punctuation. */
export const toSentence = (text: string): string => {
  const trimmed = text.trim()
  const capitalized = trimmed.charAt(0).toUpperCase() + trimmed.slice(1)
  return /[.!?…]$/.test(capitalized) ? capitalized : `${capitalized}.`
}
