// Builds SQL that reads the first words of long texts. The arguments are SQL too, and must be built from constants.

/** Characters of a text that are searched for its first words; the rest may be markup. */
const MAX_READ_LENGTH = 3_000

export const readBeginning = (text: string): string => `left(${text}, ${MAX_READ_LENGTH})`

/** Returns the beginning of the text of email message `alias`, without quoted text or tags. */
export const readEmailBeginning = (alias: string): string => `
  regexp_replace(${readBeginning(`coalesce(${alias}.new_text, ${alias}.body)`)},
    case when ${alias}.new_text is null and ${alias}.body_format = 'html' then '<[^>]*>' else '^$' end, ' ', 'g')`

/** Returns at most `maxLength` characters in one line. */
export const inOneLine = (text: string, maxLength: number): string =>
  `left(btrim(regexp_replace(${text}, '\\s+', ' ', 'g')), ${maxLength})`
