import type { Output } from '../../contract/index.ts'
import { useOperation, usePermission } from '../api.ts'

const MAX_COUNT = 9
const POLL_MS = 60_000

/** Returns the first calls that need the user's approval. Shared by all pages, so that they are requested once. */
export function usePendingApprovals() {
  const canApprove = usePermission('Call.TriggerCall')
  return useOperation(
    'listCallRequests',
    { status: 'waiting', limit: MAX_COUNT },
    { refetchIntervalMs: POLL_MS, isEnabled: canApprove },
  )
}

/** Formats the number of pending calls, as in `3` or `9+`. */
export const formatApprovalCount = ({ data, hasMore }: Output<'listCallRequests'>): string =>
  hasMore ? `${MAX_COUNT}+` : String(data.length)

/** Returns the number of calls that need the user's approval, as in `3` or `9+`; undefined when none do. */
export function usePendingApprovalCount(): string | undefined {
  const { data: page } = usePendingApprovals()
  return page && page.data.length > 0 ? formatApprovalCount(page) : undefined
}
