import { useAnswer, useMay } from '../../api.ts'

const COUNTED = 9
const ASK_EVERY_MS = 60_000

/** How many calls wait for this user to approve them, as far as it matters: `3`, or `9+`. */
export function useWaitingCalls(): string | undefined {
  const mayApprove = useMay('Call.TriggerCall')
  const { data: page } = useAnswer(
    'listCallRequests',
    { status: 'waiting', limit: COUNTED },
    { everyMs: ASK_EVERY_MS, isWanted: mayApprove },
  )
  if (!page || page.data.length === 0) return undefined
  return page.hasMore ? `${COUNTED}+` : String(page.data.length)
}
