import { useState } from 'react'
import { useInvalidate, useOperationMutation } from '../../api.ts'
import type { DisplayError } from '../../ui/error-state.tsx'
import { showToast } from '../../ui/toast.tsx'
import type { Task } from './due-tasks.ts'
import { nameOf } from './labels.ts'

/** Tasks that are done here: one is gone at once, and comes back with what went wrong when it could not be kept. */
export function useTaskCompletion() {
  const complete = useOperationMutation('completeTask', 'listTasks', 'getProspect', 'getLinkedinConversation')
  const refresh = useInvalidate('listTasks')
  const [texts, setTexts] = useState<ReadonlyMap<string, string>>(new Map())
  const [gone, setGone] = useState<ReadonlySet<string>>(new Set())
  const [faults, setFaults] = useState<ReadonlyMap<string, DisplayError>>(new Map())
  const getText = ({ id, text = '' }: Task) => texts.get(id) ?? text
  const done = (task: Task): void => {
    const { id: taskId } = task
    const text = getText(task)
    if (!text.trim() && task.text) {
      setFaults(before => new Map(before).set(taskId, new Error('Say what you have written.')))
      return
    }
    setGone(before => new Set(before).add(taskId))
    setFaults(before => new Map([...before].filter(([id]) => id !== taskId)))
    complete({ taskId, ...(text !== (task.text ?? '') && { text }) }).then(
      () => showToast(`Done: ${nameOf(task)}.`),
      (error: DisplayError) => {
        setFaults(before => new Map(before).set(taskId, error))
        setGone(before => new Set([...before].filter(id => id !== taskId)))
        showToast(error.message)
        // Somebody else may have ended it, or paused the campaign.
        void refresh()
      },
    )
  }
  return {
    getText,
    setText: ({ id }: Task, text: string) => setTexts(before => new Map(before).set(id, text)),
    /** Whether words for one of them were changed that are not kept yet. */
    isDirty: (tasks: Task[]) => tasks.some(task => !gone.has(task.id) && getText(task) !== (task.text ?? '')),
    isGone: ({ id }: Task) => gone.has(id),
    getError: ({ id }: Task) => faults.get(id),
    done,
  }
}
