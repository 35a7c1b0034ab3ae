import { useOperation, usePermission } from '../api.ts'

const FETCH_LIMIT = 50
const POLL_MS = 60_000

/** Returns the number of unread notifications, as in `3` or `50+`; undefined when there are none. */
export function useUnreadNotificationCount(): string | undefined {
  const { data } = useOperation(
    'listNotifications',
    { unread: true, limit: FETCH_LIMIT },
    { fallbackIntervalMs: POLL_MS, isEnabled: usePermission('User.ManageSelf') },
  )
  if (!data || data.data.length === 0) return undefined
  return data.hasMore ? `${FETCH_LIMIT}+` : String(data.data.length)
}
