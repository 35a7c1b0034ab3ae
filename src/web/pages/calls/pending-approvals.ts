import { useOperation, usePermission } from '../../api.ts'

const COUNTED = 9
const ASK_EVERY_MS = 60_000

/** How many calls wait for this user to approve them, as far as it matters: `3`, or `9+`. */
export function usePendingApprovalCount(): string | undefined {
  const canApprove = usePermission('Call.TriggerCall')
  const { data: page } = useOperation(
    'listCallRequests',
    { status: 'waiting', limit: COUNTED },
    { refetchIntervalMs: ASK_EVERY_MS, isEnabled: canApprove },
  )
  if (!page || page.data.length === 0) return undefined
  return page.hasMore ? `${COUNTED}+` : String(page.data.length)
}
