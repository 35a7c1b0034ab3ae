import { useState } from 'react'
import { useOperation, usePermission } from '../../api.ts'
import { canComplete, isDue, type Task } from '../../components/due-tasks.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LeaveGuard } from '../../ui/leave-guard.tsx'
import { listKeys } from '../../ui/roving-focus.ts'
import { SelectBox, type Selection, SelectionBar, useSelection } from '../../ui/selection.tsx'
import { showToast } from '../../ui/toast.tsx'
import { getPersonName } from './labels.ts'
import type { TasksSearch } from './search-params.ts'
import { type TaskAction, TaskActions, usePermittedTaskActions } from './task-actions.tsx'
import { TaskCard } from './task-card.tsx'
import { type OpenTaskDialog, TaskDialogs } from './task-dialogs.tsx'
import { type TaskCompletion, useTaskCompletion } from './use-task-completion.ts'
import { useTaskShortcuts } from './use-task-shortcuts.ts'
import { useTaskUpdates } from './use-task-updates.ts'

type Act = (action: TaskAction, tasks: Task[]) => void

/** Shows the tasks that can be done now, then the others. */
export function TaskList({ tasks, search }: { tasks: Task[]; search: TasksSearch }) {
  const { status = 'open' } = search
  const completion = useTaskCompletion()
  const { reopen } = useTaskUpdates()
  const [openDialog, setOpenDialog] = useState<OpenTaskDialog>()
  const shown = tasks.filter(task => !completion.isCompleted(task))
  const due = shown.filter(isDue)
  const later = shown.filter(task => !isDue(task))
  const ordered = [...due, ...later]
  const selection = useSelection(ordered)
  const can = usePermittedTaskActions()
  const act: Act = (action, tasks) => {
    const permitted = tasks.filter(task => can(action, task))
    if (permitted.length === 0) {
      if (action === 'assign' && tasks.some(task => task.stepId && can('skip', task)))
        showToast('Campaign steps stay with the prospect’s rep.')
    } else if (action === 'done') {
      selection.clear()
      completion.complete(permitted)
    } else if (action === 'reopen') void reopen(permitted)
    else setOpenDialog({ dialog: action, tasks: permitted })
  }
  const listRef = useTaskShortcuts({ tasks: ordered, selection, act })
  const list = { completion, act, selection }
  return (
    <div ref={listRef}>
      {shown.length === 0 && <NoTasks {...search} />}
      <LeaveGuard isDirty={completion.isDirty(shown)} />
      {due.length > 0 && <Cards label="Tasks to do" tasks={due} {...list} />}
      {status === 'open' && due.length === 0 && later.length > 0 && (
        <p className="mb-4 text-muted">No tasks to do right now. The tasks below are due later or on hold.</p>
      )}
      {later.length > 0 && (
        <section className="mt-6 first:mt-0">
          {status === 'open' && <h2 className="mb-3 font-semibold text-lg">Due later or on hold</h2>}
          <Cards label={status === 'open' ? 'Later tasks' : 'Tasks'} tasks={later} {...list} />
        </section>
      )}
      <SelectionBar selection={selection}>
        <BulkButtons tasks={selection.rows} act={act} />
      </SelectionBar>
      {openDialog && (
        <TaskDialogs
          openDialog={openDialog}
          setOpenDialog={setOpenDialog}
          completion={completion}
          clearSelection={selection.clear}
        />
      )}
    </div>
  )
}

const bulkActions: [action: TaskAction, label: string, key: string][] = [
  ['done', 'Done', 'e'],
  ['snooze', 'Snooze', 'h'],
  ['assign', 'Assign', 'a'],
]

function BulkButtons({ tasks, act }: { tasks: Task[]; act: Act }) {
  const can = usePermittedTaskActions()
  return bulkActions
    .filter(([action]) => tasks.some(task => can(action, task)))
    .map(([action, label, key]) => (
      <Button key={action} size="small" title={`Key: ${key}`} onClick={() => act(action, tasks)}>
        {label}
      </Button>
    ))
}

type CardsProps = {
  label: string
  tasks: Task[]
  completion: TaskCompletion
  act: Act
  selection: Selection<Task>
}

function Cards({ label, tasks, completion, act, selection }: CardsProps) {
  const canEdit = usePermission('Task.EditTask')
  const { data: reps } = useOperation('listReps', { limit: 100 })
  return (
    <ul aria-label={label} {...listKeys} className="grid grid-cols-1 gap-4">
      {tasks.map(task => (
        <li key={task.id} tabIndex={-1} data-task={task.id} className="scroll-my-4 rounded-card">
          <TaskCard
            task={task}
            isRepShown={(reps?.data.length ?? 0) > 1}
            text={completion.getText(task)}
            onText={text => completion.setText(task, text)}
            error={completion.getError(task)}
            isEditable={canEdit && canComplete(task)}
            checkbox={
              canEdit &&
              task.status === 'open' && (
                <SelectBox selection={selection} id={task.id} name={`task: ${getPersonName(task)}`} />
              )
            }
          >
            <TaskActions task={task} act={act} />
          </TaskCard>
        </li>
      ))}
    </ul>
  )
}

const emptyTexts: Record<string, string> = {
  completed: 'Completed tasks appear here with the text that was sent.',
  skipped: 'Skipped tasks appear here with the reason.',
  cancelled: 'Tasks that are no longer needed, because the prospect replied or opted out, appear here.',
}

function NoTasks({ status = 'open', due, repId }: TasksSearch) {
  if (due || repId) return <EmptyState title="No matching tasks">Choose another due date or rep.</EmptyState>
  if (emptyTexts[status]) return <EmptyState title="No tasks yet">{emptyTexts[status]}</EmptyState>
  return (
    <EmptyState title="No tasks to do">
      Manual steps of your campaigns and the tasks that you create appear here.
    </EmptyState>
  )
}
