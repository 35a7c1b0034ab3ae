import type { RawInput } from '../../../contract/index.ts'

// Separate from the pages, so that the router can prefetch without loading them.

/** Number of days in each period, including today. */
export const daysByPeriod: Record<string, number> = { today: 1, week: 7, month: 30 }

export type CallsSearch = {
  [N in 'status' | 'outcome' | 'assistantId' | 'repId' | 'period']?: string | undefined
}

export function toListCallsInput({ period = '', ...filters }: CallsSearch): RawInput<'listCalls'> {
  const days = daysByPeriod[period]
  return { ...filters, ...(days && { since: getStart(days) }) } as RawInput<'listCalls'>
}

/** Returns the start of the first day, so that the query stays the same for the whole day. */
function getStart(days: number): string {
  const now = new Date()
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - days + 1).toISOString()
}

export type RequestsSearch = { status?: string | undefined }

export const toListCallRequestsInput = ({
  status = 'waiting',
}: RequestsSearch): RawInput<'listCallRequests'> => ({ status }) as RawInput<'listCallRequests'>
