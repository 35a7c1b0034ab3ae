import type { RawInput } from '../../../contract/index.ts'

// Separate from the page, so that the router can read the URL without loading it.

/** Filters of the audit log in the URL. Days are in the reader's time zone. */
export type AuditSearch = { userId?: string; type?: string; action?: string; from?: string; to?: string }

export function parseAuditSearch(search: Record<string, unknown>): AuditSearch {
  const names = ['userId', 'type', 'action', 'from', 'to'] as const
  const isValid = (name: (typeof names)[number]) =>
    name === 'from' || name === 'to' ? isDay(search[name]) : Boolean(search[name])
  return Object.fromEntries(names.filter(isValid).map(name => [name, String(search[name])]))
}

const isDay = (value: unknown): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(String(value)) && !Number.isNaN(startOfDay(String(value)).getTime())

const startOfDay = (day: string): Date => new Date(`${day}T00:00`)

function startOfNextDay(day: string): Date {
  const start = startOfDay(day)
  start.setDate(start.getDate() + 1)
  return start
}

export const toListAuditLogInput = ({
  userId,
  type,
  action,
  from,
  to,
}: AuditSearch): RawInput<'listAuditLog'> => ({
  ...(userId && { userId }),
  ...(type && { auditedType: type }),
  ...(action && { action }),
  ...(from && { since: startOfDay(from).toISOString() }),
  ...(to && { until: startOfNextDay(to).toISOString() }),
})
