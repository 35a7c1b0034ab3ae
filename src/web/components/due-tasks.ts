import type { Output } from '../../contract/index.ts'
import { useOperation, usePermission } from '../api.ts'
import { useRenderEveryMinute } from '../ui/time.tsx'

export type Task = Output<'listTasks'>['data'][number]

const MAX_COUNT = 9
/** More than MAX_COUNT, because Home also counts the tasks that are due later today. */
const FETCH_LIMIT = 50
const POLL_MS = 60_000

/** Reports whether a task is open and can be done by the rep: neither paused nor sent automatically. */
export const canComplete = ({ status, heldBy, sentBy }: Task): boolean =>
  status === 'open' && !heldBy && !sentBy

/** Reports whether the rep should do the task now. */
export const isDue = (task: Task): boolean => canComplete(task) && Date.parse(task.dueAt) <= Date.now()

/** Returns the first tasks that can be completed, earliest due first. All pages share them, so that they load once. */
export function useOpenTasks() {
  const canEdit = usePermission('Task.EditTask')
  return useOperation(
    'listTasks',
    { canComplete: true, limit: FETCH_LIMIT },
    { fallbackIntervalMs: POLL_MS, isEnabled: canEdit },
  )
}

/** Returns the number of due tasks, as in `3` or `9+`; undefined when there are none. */
export function useDueTaskCount(): string | undefined {
  useRenderEveryMinute()
  const count = useOpenTasks().data?.data.filter(isDue).length
  if (!count) return undefined
  return count > MAX_COUNT ? `${MAX_COUNT}+` : String(count)
}
