import { getRouteApi, Link } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { useOperation, usePages, usePermission } from '../../api.ts'
import { isDue, type Task } from '../../components/due-tasks.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { SelectField } from '../../ui/field.tsx'
import { LeaveGuard } from '../../ui/leave-guard.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { listKeys } from '../../ui/roving-focus.ts'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { useShortcuts } from '../../ui/use-shortcuts.ts'
import { toListTasksInput } from './search-params.ts'
import { SkipDialog } from './skip-dialog.tsx'
import { TaskCard } from './task-card.tsx'
import { useTaskCompletion } from './use-task-completion.ts'

const route = getRouteApi('/shell/tasks')

const statusLabels = { open: 'To do', completed: 'Done', skipped: 'Skipped', cancelled: 'Cancelled' }

/** The manual tasks of campaigns, such as LinkedIn invitations. */
export function TasksPage() {
  const search = route.useSearch()
  const { status = 'open' } = search
  const { query, more } = usePages('listTasks', toListTasksInput(search))
  return (
    <Page
      title="Tasks"
      intro="Manual steps of your campaigns, mostly on LinkedIn, and reminders. The next step of a campaign waits until its task is done."
    >
      <div className="mb-4 flex flex-wrap items-end justify-between gap-3">
        <nav aria-label="Filter by status" className="flex flex-wrap gap-1">
          {Object.entries(statusLabels).map(([option, label]) => (
            <Link
              key={option}
              to="/tasks"
              search={{ ...search, status: option === 'open' ? undefined : option }}
              activeOptions={{ exact: true }}
              aria-current={option === status ? 'page' : undefined}
              className="rounded-control px-2.5 py-1 text-muted hover:bg-sunken hover:text-text aria-[current=page]:bg-accent-quiet aria-[current=page]:font-medium aria-[current=page]:text-accent"
            >
              {label}
            </Link>
          ))}
        </nav>
        <RepFilter />
      </div>
      <Loaded query={query} skeleton={<TableSkeleton />}>
        {tasks => <TaskList key={status} tasks={tasks} />}
      </Loaded>
      {query.data && <LoadMore {...more} count={query.data.length} />}
    </Page>
  )
}

/** Shown to users who see the tasks of several reps. */
function RepFilter() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { data: reps } = useOperation('listReps', { limit: 100 })
  if (!reps || reps.data.length < 2) return null
  return (
    <div className="w-56">
      <SelectField
        label="Rep"
        value={search.repId ?? ''}
        onChange={({ target }) =>
          void navigate({ search: { ...search, repId: target.value || undefined }, replace: true })
        }
      >
        <option value="">All reps</option>
        {reps.data.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
    </div>
  )
}

/** Due tasks first, then waiting ones. */
function TaskList({ tasks }: { tasks: Task[] }) {
  const { status = 'open' } = route.useSearch()
  const completion = useTaskCompletion()
  const [skipping, setSkipping] = useState<Task>()
  const shown = tasks.filter(task => !completion.isCompleted(task))
  const due = shown.filter(isDue)
  const waiting = shown.filter(task => !isDue(task))
  const listRef = useTaskShortcuts(due, { done: completion.complete, skip: setSkipping })
  const list = { completion, onSkip: setSkipping }
  if (shown.length === 0) return <NoTasks status={status} />
  return (
    <div ref={listRef}>
      <LeaveGuard isDirty={completion.isDirty(due)} />
      {due.length > 0 && <Cards label="Tasks to do" tasks={due} {...list} />}
      {status === 'open' && due.length === 0 && (
        <p className="mb-4 text-muted">No tasks to do right now. The tasks below are waiting.</p>
      )}
      {waiting.length > 0 && (
        <section className="mt-6 first:mt-0">
          {status === 'open' && <h2 className="mb-3 font-semibold text-lg">Waiting</h2>}
          <Cards label={status === 'open' ? 'Waiting tasks' : 'Tasks'} tasks={waiting} {...list} />
        </section>
      )}
      {skipping && <SkipDialog task={skipping} onClose={() => setSkipping(undefined)} />}
    </div>
  )
}

type CardsProps = {
  label: string
  tasks: Task[]
  completion: ReturnType<typeof useTaskCompletion>
  onSkip: (task: Task) => void
}

function Cards({ label, tasks, completion, onSkip }: CardsProps) {
  const canEdit = usePermission('Task.EditTask')
  const { data: reps } = useOperation('listReps', { limit: 100 })
  return (
    <ul aria-label={label} {...listKeys} className="grid grid-cols-1 gap-4">
      {tasks.map(task => (
        <li key={task.id} tabIndex={-1} data-task={task.id} className="scroll-my-4 rounded-card">
          <TaskCard
            task={task}
            showsRep={(reps?.data.length ?? 0) > 1}
            text={completion.getText(task)}
            onText={text => completion.setText(task, text)}
            error={completion.getError(task)}
            onDone={canEdit ? () => completion.complete(task) : undefined}
            onSkip={canEdit ? () => onSkip(task) : undefined}
          />
        </li>
      ))}
    </ul>
  )
}

/** Keyboard shortcuts for the focused card, or the first one. After a card is gone, focus moves to the next. */
function useTaskShortcuts(due: Task[], actions: { done: (task: Task) => void; skip: (task: Task) => void }) {
  const listRef = useRef<HTMLDivElement>(null)
  const nextId = useRef<string>(undefined)
  const canEdit = usePermission('Task.EditTask')
  const getFocusedId = () => document.activeElement?.closest<HTMLElement>('[data-task]')?.dataset.task
  const getCurrent = () => due.find(({ id }) => id === getFocusedId()) ?? due[0]
  const findCard = (id: string | undefined) =>
    listRef.current?.querySelector<HTMLElement>(`[data-task="${id}"]`) ?? undefined
  const click = (selector: string) => () =>
    findCard(getCurrent()?.id)?.querySelector<HTMLElement>(selector)?.click()
  const act = (action: (task: Task) => void) => () => {
    const task = getCurrent()
    if (!task || !canEdit) return
    const index = due.indexOf(task)
    nextId.current = (due[index + 1] ?? due[index - 1])?.id
    action(task)
  }
  useShortcuts({
    c: click('[data-copy] button'),
    o: click('[data-profile]'),
    d: act(actions.done),
    s: act(actions.skip),
  })
  const ids = due.map(({ id }) => id).join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs whenever a card is gone
  useEffect(() => {
    if (nextId.current && !document.activeElement?.closest('[data-task], [role=dialog]')) {
      findCard(nextId.current)?.focus()
      nextId.current = undefined
    }
  }, [ids])
  return listRef
}

const emptyTexts: Record<string, string> = {
  completed: 'Completed tasks appear here with the text that was sent.',
  skipped: 'Skipped tasks appear here with the reason.',
  cancelled: 'Tasks that are no longer needed, because the prospect replied or opted out, appear here.',
}

const NoTasks = ({ status }: { status: string }) =>
  emptyTexts[status] ? (
    <EmptyState title="No tasks yet">{emptyTexts[status]}</EmptyState>
  ) : (
    <EmptyState title="No tasks to do">
      LinkedIn steps and other manual steps of your campaigns appear here when they are due.
    </EmptyState>
  )
