/** Addresses as servers write them in reports; quoted local parts and letters outside ASCII are rare enough to leave out. */
const addressPattern =
  /(?<![\w.!#$%&'*+/=?^`{|}~-])[\w.!#$%&'*+/=?^`{|}~-]{1,128}@[a-z0-9](?:[a-z0-9.-]{0,250}[a-z0-9])?/gi

const maxText = 100_000

export const findAddresses = (text: string): string[] =>
  [...text.slice(0, maxText).matchAll(addressPattern)].map(([address]) => tidy(address)).filter(isAddress)

/** Of a field such as `rfc822; <ada@acme.example>`. */
export const findAddress = (field: string): string | undefined => findAddresses(field.slice(0, 2_000))[0]

// What stands before addresses in reports: 'ada@…', RCPT_TO=ada@…
const tidy = (address: string): string => address.toLowerCase().replace(/^(?:\w{1,20}to=)?['`*]*/, '')

const isAddress = (address: string): boolean => /^[^@.]/.test(address) && !address.includes('..')
