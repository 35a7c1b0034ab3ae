import type { Output } from '../../contract/index.ts'
import { useOperation, usePermission } from '../api.ts'
import { useMinute } from '../ui/time.tsx'

export type Task = Output<'listTasks'>['data'][number]

const MAX_COUNT = 9
/** More than MAX_COUNT, because the list also contains waiting tasks. */
const FETCH_LIMIT = 50
const POLL_MS = 60_000

/** True for open tasks that the rep can do: neither paused nor sent automatically. */
export const canComplete = ({ status, heldBy, sentBy }: Task): boolean =>
  status === 'open' && !heldBy && !sentBy

/** True for tasks that the rep should do now. */
export const isDue = (task: Task): boolean => canComplete(task) && Date.parse(task.dueAt) <= Date.now()

/** Returns the first open tasks, those due earliest first. Shared by all pages, so that they are requested once. */
export function useOpenTasks() {
  const canEdit = usePermission('Task.EditTask')
  return useOperation(
    'listTasks',
    { status: 'open', limit: FETCH_LIMIT },
    { fallbackIntervalMs: POLL_MS, isEnabled: canEdit },
  )
}

/** Returns the number of due tasks, as in `3` or `9+`; undefined when there are none. */
export function useDueTasks(): string | undefined {
  useMinute()
  const count = useOpenTasks().data?.data.filter(isDue).length
  if (!count) return undefined
  return count > MAX_COUNT ? `${MAX_COUNT}+` : String(count)
}
