import type { Output } from '../../../contract/index.ts'
import { useOperation, usePermission } from '../../api.ts'

export type Task = Output<'listTasks'>['data'][number]

const COUNTED = 9
/** What waits stands among what is due. */
const LOOKED_AT = 50
const ASK_EVERY_MS = 60_000

/** Whether the rep has to do it, and may: not what is sent for them, nor what is paused. */
export const isDue = ({ status, heldBy, sentBy }: Task): boolean => status === 'open' && !heldBy && !sentBy

/** How many tasks are to be done now, as far as it matters: `3`, or `9+`. */
export function useDueTasks(): string | undefined {
  const canDo = usePermission('Task.EditTask')
  const { data: page } = useOperation(
    'listTasks',
    { status: 'open', limit: LOOKED_AT },
    { refetchIntervalMs: ASK_EVERY_MS, isEnabled: canDo },
  )
  const count = page?.data.filter(isDue).length
  if (!count) return undefined
  return count > COUNTED ? `${COUNTED}+` : String(count)
}
