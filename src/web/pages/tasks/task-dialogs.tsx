import { useOperation, useRepPermission } from '../../api.ts'
import type { Task } from '../../components/due-tasks.ts'
import { SnoozeDateDialog, SnoozePicker } from '../../components/snooze-picker.tsx'
import { useDialogPerson } from '../../components/use-dialog-person.ts'
import { CommandPalette } from '../../ui/command-palette.tsx'
import { loadDialog } from '../../ui/load-dialog.tsx'
import type { TaskCompletion } from './use-task-completion.ts'
import { useTaskUpdates } from './use-task-updates.ts'

const EditTaskDialog = loadDialog(async () => (await import('./edit-task-dialog.tsx')).EditTaskDialog)
const LogCallDialog = loadDialog(
  async () => (await import('../../components/log-call-dialog.tsx')).LogCallDialog,
)
const SkipDialog = loadDialog(async () => (await import('./skip-dialog.tsx')).SkipDialog)

export type OpenTaskDialog = {
  dialog: 'snooze' | 'snoozeDate' | 'assign' | 'skip' | 'edit' | 'logCall'
  tasks: Task[]
}

type Props = {
  openDialog: OpenTaskDialog
  setOpenDialog: (openDialog: OpenTaskDialog | undefined) => void
  completion: TaskCompletion
  clearSelection: () => void
}

/** Asks for the input that an action on tasks needs. */
export function TaskDialogs({
  openDialog: { dialog, tasks },
  setOpenDialog,
  completion,
  clearSelection,
}: Props) {
  const updates = useTaskUpdates()
  const onClose = () => setOpenDialog(undefined)
  const first = tasks[0]!
  const snooze = (until: Date) => {
    clearSelection()
    void updates.snooze(tasks, until)
  }
  if (dialog === 'snooze')
    return (
      <SnoozePicker
        onClose={onClose}
        onChoose={snooze}
        onChooseDate={() => setOpenDialog({ dialog: 'snoozeDate', tasks })}
      />
    )
  if (dialog === 'snoozeDate') return <SnoozeDateDialog onClose={onClose} onChoose={snooze} />
  if (dialog === 'assign')
    return (
      <RepPicker
        onClose={onClose}
        onChoose={rep => {
          clearSelection()
          void updates.assign(tasks, rep)
        }}
      />
    )
  if (dialog === 'edit') return <EditTaskDialog task={first} onClose={onClose} />
  if (dialog === 'logCall')
    return <LogTaskCall task={first} onClose={onClose} onLogged={() => completion.complete([first])} />
  return <SkipDialog task={first} onClose={onClose} />
}

type Rep = { id: string; name: string }

function RepPicker({ onChoose, onClose }: { onChoose: (rep: Rep) => void; onClose: () => void }) {
  const { data } = useOperation('listReps', { limit: 100 })
  const canAssign = useRepPermission('Task.EditTask')
  return (
    <CommandPalette
      isOpen
      onClose={onClose}
      title="Assign"
      placeholder="Assign to"
      commands={(data?.data ?? []).filter(canAssign).map(rep => ({
        key: rep.id,
        label: rep.name,
        run: () => onChoose(rep),
      }))}
    />
  )
}

type LogTaskCallProps = { task: Task; onClose: () => void; onLogged: () => void }

/** Logs the call of a task, which completes it. */
function LogTaskCall({ task: { personId, repId }, ...props }: LogTaskCallProps) {
  const person = useDialogPerson(personId, props.onClose)
  return person && <LogCallDialog person={person} repId={repId} {...props} />
}
