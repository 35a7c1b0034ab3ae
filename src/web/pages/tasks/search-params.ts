import type { RawInput } from '../../../contract/index.ts'

// Separate from the page, so that the router can prefetch without loading it.

export type Due = 'overdue' | 'today' | 'week' | 'later'
export type TasksSearch = {
  status?: string | undefined
  repId?: string | undefined
  due?: Due | undefined
}

/** Validates a filter by due date from the URL. */
export const toDue = (text: unknown): Due | undefined =>
  ['overdue', 'today', 'week', 'later'].includes(String(text)) ? (text as Due) : undefined

type Range = { dueAfter?: string; dueBefore?: string }

/** Returns the due dates that a filter includes, in the reader's time zone. Weeks begin on Monday. */
export function getDueRange(due: Due, now: Date): Range {
  const inDays = (days: number) =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() + days).toISOString()
  const daysToMonday = (8 - now.getDay()) % 7 || 7
  const ranges: Record<Due, Range> = {
    overdue: { dueBefore: inDays(0) },
    today: { dueAfter: inDays(0), dueBefore: inDays(1) },
    week: { dueAfter: inDays(0), dueBefore: inDays(daysToMonday) },
    later: { dueAfter: inDays(daysToMonday) },
  }
  return ranges[due]
}

export const toListTasksInput = ({ status = 'open', repId, due }: TasksSearch): RawInput<'listTasks'> =>
  ({ status, ...(repId && { repId }), ...(due && getDueRange(due, new Date())) }) as RawInput<'listTasks'>
