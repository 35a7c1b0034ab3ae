/** Reports whether the server accepts the query: it needs a letter or digit. */
export const isSearchable = (query: string): boolean => /[\p{L}\p{N}]/u.test(query)
