import { useState } from 'react'
import { useInvalidate, useOperationMutation } from '../../api.ts'
import type { Task } from '../../components/due-tasks.ts'
import type { DisplayError } from '../../ui/error-state.tsx'
import { showToast } from '../../ui/toast.tsx'
import { getPersonName } from './labels.ts'

/** Completes tasks optimistically: a task disappears at once, and returns with the error when the request fails. */
export function useTaskCompletion() {
  const completeTask = useOperationMutation(
    'completeTask',
    'listTasks',
    'getProspect',
    'getLinkedinConversation',
  )
  const refresh = useInvalidate('listTasks')
  const [texts, setTexts] = useState<ReadonlyMap<string, string>>(new Map())
  const [completed, setCompleted] = useState<ReadonlySet<string>>(new Set())
  const [errors, setErrors] = useState<ReadonlyMap<string, DisplayError>>(new Map())
  const getText = ({ id, text = '' }: Task) => texts.get(id) ?? text
  const complete = (task: Task): void => {
    const { id: taskId } = task
    const text = getText(task)
    if (!text.trim() && task.text) {
      setErrors(before => new Map(before).set(taskId, new Error('Enter the text you sent.')))
      return
    }
    setCompleted(before => new Set(before).add(taskId))
    setErrors(before => new Map([...before].filter(([id]) => id !== taskId)))
    completeTask({ taskId, ...(text !== (task.text ?? '') && { text }) }).then(
      () => showToast(`Done: ${getPersonName(task)}.`),
      (error: DisplayError) => {
        setErrors(before => new Map(before).set(taskId, error))
        setCompleted(before => new Set([...before].filter(id => id !== taskId)))
        showToast(error.message)
        // Someone else may have closed the task or paused the campaign.
        void refresh()
      },
    )
  }
  return {
    getText,
    setText: ({ id }: Task, text: string) => setTexts(before => new Map(before).set(id, text)),
    /** True when one of these tasks has an edited text that is not saved. */
    isDirty: (tasks: Task[]) =>
      tasks.some(task => !completed.has(task.id) && getText(task) !== (task.text ?? '')),
    isCompleted: ({ id }: Task) => completed.has(id),
    getError: ({ id }: Task) => errors.get(id),
    complete,
  }
}
