/** Matches addresses in reports, where quoted local parts and non-ASCII characters are rare enough to ignore. */
const addressPattern =
  /(?<![\w.!#$%&'*+/=?^`{|}~-])[\w.!#$%&'*+/=?^`{|}~-]{1,128}@[a-z0-9](?:[a-z0-9.-]{0,250}[a-z0-9])?/gi

const maxText = 100_000

/** Finds all addresses in a text, in lower case. */
export const findAddresses = (text: string): string[] =>
  [...text.slice(0, maxText).matchAll(addressPattern)]
    .map(([address]) => stripPrefix(address))
    .filter(isAddress)

/** Finds the address in a field such as `rfc822; <ada@acme.example>`. */
export const findAddress = (field: string): string | undefined => findAddresses(field.slice(0, 2_000))[0]

/** Removes the prefixes of addresses in reports: 'ada@…', RCPT_TO=ada@… */
const stripPrefix = (address: string): string => address.toLowerCase().replace(/^(?:\w{1,20}to=)?['`*]*/, '')

const isAddress = (address: string): boolean => /^[^@.]/.test(address) && !address.includes('..')
