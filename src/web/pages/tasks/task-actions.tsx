import { useOperationMutation, usePermission } from '../../api.ts'
import { canComplete, type Task } from '../../components/due-tasks.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { showToast } from '../../ui/toast.tsx'
import { getPersonName, isUserTask, taskLabels } from './labels.ts'

export type TaskAction = 'done' | 'skip' | 'snooze' | 'assign' | 'edit' | 'logCall' | 'reopen'

/** Returns a function that reports whether the user may perform an action and the task allows it. */
export function usePermittedTaskActions(): (action: TaskAction, task: Task) => boolean {
  const canEdit = usePermission('Task.EditTask')
  const canLogCalls = usePermission('Call.TriggerCall')
  return (action, task) => {
    const isOpen = task.status === 'open'
    if (!canEdit) return false
    switch (action) {
      case 'done':
        return canComplete(task)
      case 'skip':
        return isOpen
      case 'snooze':
        return isOpen && !task.linkedinMessageId && !task.sentBy
      case 'assign':
      case 'edit':
        return isOpen && isUserTask(task)
      case 'logCall':
        return canComplete(task) && task.channel === 'call' && canLogCalls
      case 'reopen':
        return ['completed', 'skipped'].includes(task.status) && isUserTask(task)
    }
  }
}

type Props = { task: Task; act: (action: TaskAction, tasks: Task[]) => void }

/** Shows the buttons of a task. */
export function TaskActions({ task, act }: Props) {
  const can = usePermittedTaskActions()
  const name = getPersonName(task)
  const { done } = taskLabels[task.channel]
  const button = (action: TaskAction, label: string, look?: 'primary') =>
    can(action, task) && (
      <Button look={look} aria-label={`${label}: ${name}`} onClick={() => act(action, [task])}>
        {label}
      </Button>
    )
  return (
    <div className="mt-4 flex flex-wrap gap-2 empty:hidden">
      {button('logCall', 'Log call', 'primary')}
      {button('done', done, can('logCall', task) ? undefined : 'primary')}
      {button('snooze', 'Snooze')}
      {button('skip', 'Skip task')}
      {button('reopen', 'Reopen')}
      {can('edit', task) && (
        <Menu label="More" ariaLabel={`More actions: ${name}`}>
          <MenuItem hint="a" onClick={() => act('assign', [task])}>
            Assign
          </MenuItem>
          <MenuItem onClick={() => act('edit', [task])}>Edit task</MenuItem>
        </Menu>
      )}
      {task.linkedinUrl && (
        <a
          href={task.linkedinUrl}
          target="_blank"
          rel="noreferrer"
          data-profile
          aria-label={`Open profile of ${name}, in a new tab`}
          className={buttonClass('quiet')}
        >
          Open profile
        </a>
      )}
      {task.channel === 'linkedin_connect' && task.status === 'completed' && !task.acceptedAt && (
        <AcceptedButton task={task} />
      )}
    </div>
  )
}

function AcceptedButton({ task }: { task: Task }) {
  const canEdit = usePermission('Task.EditTask')
  const accept = useOperationMutation('acceptTask', 'listTasks', 'getProspect')
  if (!canEdit) return null
  const handleClick = () =>
    accept({ taskId: task.id }).then(
      () => showToast(`Invitation to ${getPersonName(task)} marked as accepted. The sequence continues.`),
      error => showToast(error.message),
    )
  return (
    <Button aria-label={`Mark as accepted: ${getPersonName(task)}`} onClick={handleClick}>
      Mark as accepted
    </Button>
  )
}
