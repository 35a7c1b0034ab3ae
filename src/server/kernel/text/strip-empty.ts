/**
 * Text that says nothing counts as a field left out, at any depth. What stands in a list is judged there, and `data` is
 * the caller's own: a call's facts reach its assistant as they are.
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
