/** Returns the text with a capital letter in front and, unless it has its own, a full stop at the end. */
export const toSentence = (text: string): string => {
  const trimmed = text.trim()
  const opened = trimmed.charAt(0).toUpperCase() + trimmed.slice(1)
  return /[.!?…]$/.test(opened) ? opened : `${opened}.`
}
