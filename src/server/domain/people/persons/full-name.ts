const titles =
  /^(?:(?:(?:dr|prof|mr|mrs|ms|miss|mx|herr|frau|mme|mlle|sra|srta)\.?|(?:sr|ing|mag|dipl)\.(?:-ing\.)?)\s+)+(?=\S+\s)/i
/** Case-sensitive, because Md and Ma are first names. */
const suffixes =
  /^(?:Ph\.?D|PHD|E?MBA|M\.?Sc|MSC|B\.?Sc|BSC|M\.?D|M\.?A|B\.?A|LL\.?M|J\.?D|Esq|ESQ|CPA|CFA|PMP|CISSP|P\.?E|R\.?N|DDS|Jr|JR|Sr|SR|II|III|IV)\.?$/

/**
 * Splits a full name: the first word is the first name, the rest the last name. Also reads `Doe, Jane`; drops titles,
 * suffixes and middle initials.
 */
export function splitFullName(fullName: string): { firstName?: string; lastName?: string } {
  const [head = '', ...parts] = fullName.split(',').map(part => part.trim())
  const nameParts = parts.filter(part => part && !part.split(/[\s/]+/).every(word => suffixes.test(word)))
  const ordered = nameParts.length === 1 ? `${nameParts[0]} ${head}` : head
  const words = ordered.replace(titles, '').split(/\s+/).filter(Boolean)
  while (words.length > 2 && suffixes.test(words.at(-1)!)) words.pop()
  const [firstName, ...rest] = words
  const last = rest.filter((word, i) => i === rest.length - 1 || !/^\p{Lu}\.?$/u.test(word)).join(' ')
  return { ...(firstName && { firstName }), ...(last && { lastName: last }) }
}
