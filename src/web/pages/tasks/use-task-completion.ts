import { useState } from 'react'
import { useInvalidate, useOperationMutation } from '../../api.ts'
import type { Task } from '../../components/due-tasks.ts'
import type { DisplayError } from '../../ui/error-state.tsx'
import { retryWhenLimited, runConcurrently } from '../../ui/run-concurrently.ts'
import { formatNumber } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'
import { getPersonName, isUserTask } from './labels.ts'
import { useTaskUpdates } from './use-task-updates.ts'

export type TaskCompletion = ReturnType<typeof useTaskCompletion>

/** Completes tasks optimistically: they disappear immediately, and return with the error when the request fails. */
export function useTaskCompletion() {
  const completeTask = useOperationMutation('completeTask')
  const refresh = useInvalidate('listTasks', 'getProspect', 'getLinkedinConversation', 'getPersonTimeline')
  const { reopen } = useTaskUpdates()
  const [texts, setTexts] = useState<ReadonlyMap<string, string>>(new Map())
  const [completed, setCompleted] = useState<ReadonlySet<string>>(new Set())
  const [errors, setErrors] = useState<ReadonlyMap<string, DisplayError>>(new Map())
  const getText = ({ id, text = '' }: Task) => texts.get(id) ?? text
  const show = ({ id }: Task) => setCompleted(before => new Set([...before].filter(other => other !== id)))
  const setError = ({ id }: Task, error: DisplayError) => setErrors(before => new Map(before).set(id, error))
  const undo = (tasks: Task[]) => {
    void reopen(tasks, 'Undone.')
    tasks.forEach(show)
  }
  const complete = async (tasks: Task[]): Promise<void> => {
    const ready = tasks.filter(task => getText(task).trim() || !task.text)
    for (const task of tasks) if (!ready.includes(task)) setError(task, new Error('Enter the text you sent.'))
    const ids = new Set(ready.map(({ id }) => id))
    setCompleted(before => before.union(ids))
    setErrors(before => new Map([...before].filter(([id]) => !ids.has(id))))
    const done: Task[] = []
    await runConcurrently(ready, task => {
      const text = getText(task)
      const input = { taskId: task.id, ...(text !== (task.text ?? '') && { text }) }
      return retryWhenLimited(() => completeTask(input)).then(
        () => void done.push(task),
        (error: DisplayError) => {
          setError(task, error)
          show(task)
          showToast(error.message)
        },
      )
    })
    // Refresh even after a failure: someone else may have closed the task or paused the campaign.
    void refresh()
    if (done.length > 0 && done.length === ready.length)
      showToast(
        done.length === 1 ? `Done: ${getPersonName(done[0]!)}.` : `${formatNumber(done.length)} tasks done.`,
        done.every(isUserTask) ? () => undo(done) : undefined,
      )
  }
  return {
    getText,
    setText: ({ id }: Task, text: string) => setTexts(before => new Map(before).set(id, text)),
    /** Reports whether one of these tasks has unsaved edits. */
    isDirty: (tasks: Task[]) =>
      tasks.some(task => !completed.has(task.id) && getText(task) !== (task.text ?? '')),
    isCompleted: ({ id }: Task) => completed.has(id),
    getError: ({ id }: Task) => errors.get(id),
    complete: (tasks: Task[]) => void complete(tasks),
  }
}
