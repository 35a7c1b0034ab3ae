export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Returns the text with a capital first letter and closing punctuation. */
export const toSentence = (text: string): string => {
  const capitalized = capitalize(text.trim())
  return /[.!?…]$/.test(capitalized) ? capitalized : `${capitalized}.`
}
