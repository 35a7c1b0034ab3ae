/** Returns a search parameter as a string: the router may have parsed digits as a number. */
export const toText = (value: unknown): string | undefined =>
  value === undefined ? undefined : String(value)
