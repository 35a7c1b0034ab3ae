import { CreateTaskDialog } from './create-task-dialog.tsx'
import { LogCallDialog } from './log-call-dialog.tsx'
import type { Person } from './person-name.ts'
import { PersonPicker } from './person-picker.tsx'
import { PlaceCallDialog } from './place-call-dialog.tsx'

export type PersonDialogName = keyof typeof actions

const actions = {
  task: { title: 'Create task', ActionDialog: CreateTaskDialog },
  placeCall: { title: 'Place call', ActionDialog: PlaceCallDialog },
  logCall: { title: 'Log call', ActionDialog: LogCallDialog },
}

type Props = {
  action: PersonDialogName
  person?: Person
  onChoose: (person: Person) => void
  onClose: () => void
}

/** Asks for a person, then opens the action's dialog. */
export function PersonDialog({ action, person, onChoose, onClose }: Props) {
  const { title, ActionDialog } = actions[action]
  return person ? (
    <ActionDialog person={person} onClose={onClose} />
  ) : (
    <PersonPicker title={title} onChoose={onChoose} onClose={onClose} />
  )
}
