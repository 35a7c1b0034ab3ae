import { type RefObject, useEffect, useRef } from 'react'
import type { Task } from '../../components/due-tasks.ts'
import type { Selection } from '../../ui/selection.tsx'
import { useShortcuts } from '../../ui/use-shortcuts.ts'
import type { TaskAction } from './task-actions.tsx'

type Options = {
  tasks: Task[]
  selection: Selection<Task>
  act: (action: TaskAction, tasks: Task[]) => void
}

const keys: Record<string, TaskAction> = { e: 'done', s: 'skip', h: 'snooze', a: 'assign' }

/**
 * Registers keyboard shortcuts for the selected cards or, without a selection, for the focused or the first card. When
 * a card disappears, the focus moves to the next one.
 */
export function useTaskShortcuts({ tasks, selection, act }: Options): RefObject<HTMLDivElement | null> {
  const listRef = useRef<HTMLDivElement>(null)
  const nextId = useRef<string>(undefined)
  const getFocusedId = () => document.activeElement?.closest<HTMLElement>('[data-task]')?.dataset.task
  const getCurrent = () => tasks.find(({ id }) => id === getFocusedId()) ?? tasks[0]
  const findCard = (id: string | undefined) =>
    listRef.current?.querySelector<HTMLElement>(`[data-task="${id}"]`) ?? undefined
  const click = (selector: string) => () =>
    findCard(getCurrent()?.id)?.querySelector<HTMLElement>(selector)?.click()
  const run = (action: TaskAction) => () => {
    const current = getCurrent()
    const targets = selection.rows.length > 0 ? selection.rows : current ? [current] : []
    const index = tasks.findLastIndex(task => targets.includes(task))
    nextId.current = (
      tasks.slice(index + 1).find(task => !targets.includes(task)) ??
      tasks.findLast(task => !targets.includes(task))
    )?.id
    act(action, targets)
  }
  useShortcuts({
    y: click('[data-copy] button'),
    o: click('[data-profile]'),
    ...(selection.rows.length > 0 && { Escape: selection.clear }),
    ...Object.fromEntries(Object.entries(keys).map(([key, action]) => [key, run(action)])),
  })
  const ids = tasks.map(({ id }) => id).join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs whenever a card disappears or moves
  useEffect(() => {
    if (nextId.current && !document.activeElement?.closest('[data-task], [role=dialog]')) {
      findCard(nextId.current)?.focus()
      nextId.current = undefined
    }
  }, [ids])
  return listRef
}
