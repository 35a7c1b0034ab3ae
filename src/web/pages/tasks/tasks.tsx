import { getRouteApi, Link } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { useOperation, usePages, usePermission } from '../../api.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { SelectField } from '../../ui/field.tsx'
import { LeaveGuard } from '../../ui/leave-guard.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { moveFocus } from '../../ui/roving-focus.ts'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { useShortcuts } from '../../ui/use-shortcuts.ts'
import { isDue, type Task } from './due-tasks.ts'
import { toListTasksInput } from './search-params.ts'
import { SkipDialog } from './skip-dialog.tsx'
import { TaskCard } from './task-card.tsx'
import { useTaskCompletion } from './use-task-completion.ts'

const route = getRouteApi('/shell/tasks')

const choices = { open: 'To do', completed: 'Done', skipped: 'Skipped', cancelled: 'Called off' }

/** What campaigns ask reps to do by hand: read, done and told here. */
export function TasksPage() {
  const search = route.useSearch()
  const { status = 'open' } = search
  const { query, more } = usePages('listTasks', toListTasksInput(search))
  return (
    <Page
      title="Tasks"
      intro="What campaigns ask a person to do, most of it on LinkedIn. The next step waits until it is done."
    >
      <div className="mb-4 flex flex-wrap items-end justify-between gap-3">
        <nav aria-label="Which tasks" className="flex flex-wrap gap-1">
          {Object.entries(choices).map(([choice, label]) => (
            <Link
              key={choice}
              to="/tasks"
              search={{ ...search, status: choice === 'open' ? undefined : choice }}
              activeOptions={{ exact: true }}
              aria-current={choice === status ? 'page' : undefined}
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
      {query.data && <LoadMore {...more} shown={query.data.length} />}
    </Page>
  )
}

/** For whoever sees the tasks of several. */
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

/** What is to be done now, and below it what waits for something. */
function TaskList({ tasks }: { tasks: Task[] }) {
  const { status = 'open' } = route.useSearch()
  const completion = useTaskCompletion()
  const [skipping, setSkipping] = useState<Task>()
  const shown = tasks.filter(task => !completion.isGone(task))
  const due = shown.filter(isDue)
  const others = shown.filter(task => !isDue(task))
  const place = useTaskKeys(due, { done: completion.done, skip: setSkipping })
  const list = { completion, onSkip: setSkipping }
  if (shown.length === 0) return <NoTasks status={status} />
  return (
    <div ref={place}>
      <LeaveGuard isDirty={completion.isDirty(due)} />
      {due.length > 0 && <Cards label="Tasks to do" tasks={due} {...list} />}
      {status === 'open' && due.length === 0 && (
        <p className="mb-4 text-muted">Nothing is to be done now; what is below waits.</p>
      )}
      {others.length > 0 && (
        <section className="mt-6 first:mt-0">
          {status === 'open' && <h2 className="mb-3 font-semibold text-lg">Waiting</h2>}
          <Cards label={status === 'open' ? 'Tasks that wait' : 'Tasks'} tasks={others} {...list} />
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
  const canDo = usePermission('Task.EditTask')
  const { data: reps } = useOperation('listReps', { limit: 100 })
  return (
    <ul aria-label={label} onKeyDown={moveFocus} className="grid grid-cols-1 gap-4">
      {tasks.map(task => (
        <li key={task.id} tabIndex={-1} data-task={task.id} className="scroll-my-4 rounded-card">
          <TaskCard
            task={task}
            hasRep={(reps?.data.length ?? 0) > 1}
            text={completion.getText(task)}
            onText={text => completion.setText(task, text)}
            error={completion.getError(task)}
            onDone={canDo ? () => completion.done(task) : undefined}
            onSkip={canDo ? () => onSkip(task) : undefined}
          />
        </li>
      ))}
    </ul>
  )
}

/** Keys act on the card that has the focus, else on the first; once that one is gone, the next one has it. */
function useTaskKeys(due: Task[], acts: { done: (task: Task) => void; skip: (task: Task) => void }) {
  const place = useRef<HTMLDivElement>(null)
  const next = useRef<string>(undefined)
  const canDo = usePermission('Task.EditTask')
  const focused = () => document.activeElement?.closest<HTMLElement>('[data-task]')?.dataset.task
  const current = () => due.find(({ id }) => id === focused()) ?? due[0]
  const findCard = (id: string | undefined) =>
    place.current?.querySelector<HTMLElement>(`[data-task="${id}"]`) ?? undefined
  const press = (selector: string) => () =>
    findCard(current()?.id)?.querySelector<HTMLElement>(selector)?.click()
  const act = (what: (task: Task) => void) => () => {
    const task = current()
    if (!task || !canDo) return
    const at = due.indexOf(task)
    next.current = (due[at + 1] ?? due[at - 1])?.id
    what(task)
  }
  useShortcuts({
    c: press('[data-copy] button'),
    o: press('[data-profile]'),
    d: act(acts.done),
    s: act(acts.skip),
    // From card to card the list itself goes.
    j: () => !focused() && findCard(due[0]?.id)?.focus(),
  })
  const ids = due.map(({ id }) => id).join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever a card is gone
  useEffect(() => {
    if (next.current && !document.activeElement?.closest('[data-task], [role=dialog]')) {
      findCard(next.current)?.focus()
      next.current = undefined
    }
  }, [ids])
  return place
}

const emptyTexts: Record<string, string> = {
  completed: 'What was done comes here, in the words that were written.',
  skipped: 'What was left out comes here, with the reason.',
  cancelled: 'What was called off comes here: when somebody answers first, or opts out.',
}

const NoTasks = ({ status }: { status: string }) =>
  emptyTexts[status] ? (
    <EmptyState title="None so far">{emptyTexts[status]}</EmptyState>
  ) : (
    <EmptyState title="Nothing to do">
      Steps of campaigns on LinkedIn, and other steps for a person, come here when they are due, each with its
      text. New ones appear by themselves.
    </EmptyState>
  )
