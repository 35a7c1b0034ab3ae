/**
 * Removes fields with blank text at any depth. Keeps list items, and the fields inside `data`, which are passed to a
 * call's assistant verbatim.
 */
export function stripEmpty<T>(value: T): T {
  if (Array.isArray(value)) return value.map(stripEmpty) as T
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).filter(([, field]) => typeof field !== 'string' || field.trim() !== '')
  return Object.fromEntries(
    fields.map(([name, field]) => [
      name,
      name === 'data' && !Array.isArray(field) ? field : stripEmpty(field),
    ]),
  ) as T
}
