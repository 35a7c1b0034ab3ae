import type { RawInput } from '../../../contract/index.ts'
import { useInvalidate, useOperationMutation } from '../../api.ts'
import type { Task } from '../../components/due-tasks.ts'
import { formatSnoozeTime } from '../../components/snooze-times.ts'
import { retryWhenLimited, runConcurrently } from '../../ui/run-concurrently.ts'
import { formatNumber } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'

type Changes = Omit<RawInput<'updateTask'>, 'taskId'>
type GetChanges = (task: Task) => Changes

/** Returns functions that change tasks and confirm the change in a toast with an undo button. */
export function useTaskUpdates() {
  const update = useOperationMutation('updateTask')
  const refresh = useInvalidate('listTasks', 'getTask', 'getPersonTimeline')
  const run = async (tasks: Task[], getChanges: GetChanges, message: string, getOld?: GetChanges) => {
    let failure: Error | undefined
    const changed: Task[] = []
    await runConcurrently(tasks, task =>
      retryWhenLimited(() => update({ taskId: task.id, ...getChanges(task) })).then(
        () => void changed.push(task),
        error => {
          failure ??= error
        },
      ),
    )
    await refresh()
    const undo = getOld && changed.length > 0 ? () => void run(changed, getOld, 'Undone.') : undefined
    if (!failure) showToast(message, undo)
    else if (tasks.length === 1) showToast(failure.message)
    else
      showToast(
        `Changed ${formatNumber(changed.length)} of ${formatNumber(tasks.length)} tasks. ${failure.message}`,
        undo,
      )
  }
  return {
    snooze: (tasks: Task[], until: Date) =>
      run(
        tasks,
        () => ({ dueAt: until.toISOString() }),
        `Snoozed until ${formatSnoozeTime(until)}.`,
        ({ dueAt }) => ({ dueAt }),
      ),
    assign: (tasks: Task[], rep: { id: string; name: string }) =>
      run(
        tasks,
        () => ({ repId: rep.id }),
        `Assigned to ${rep.name}.`,
        ({ repId }) => ({ repId }),
      ),
    reopen: (tasks: Task[], message = 'Task reopened.') => run(tasks, () => ({ status: 'open' }), message),
  }
}
