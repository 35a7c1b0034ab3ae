import { useOperation, usePermission } from '../../api.ts'

const MAX_COUNT = 9
const REFETCH_INTERVAL_MS = 60_000

/** Returns the number of calls that wait for the user's approval, as in `3` or `9+`; undefined when none do. */
export function usePendingApprovalCount(): string | undefined {
  const canApprove = usePermission('Call.TriggerCall')
  const { data: page } = useOperation(
    'listCallRequests',
    { status: 'waiting', limit: MAX_COUNT },
    { refetchIntervalMs: REFETCH_INTERVAL_MS, isEnabled: canApprove },
  )
  if (!page || page.data.length === 0) return undefined
  return page.hasMore ? `${MAX_COUNT}+` : String(page.data.length)
}
