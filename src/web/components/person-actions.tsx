import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { usePermission } from '../api.ts'
import { Button, buttonClass } from '../ui/button.tsx'
import { loadDialog } from '../ui/load-dialog.tsx'
import { useShortcuts } from '../ui/use-shortcuts.ts'
import { OptOutDialog } from './opt-out-dialog.tsx'
import { toIdentifiers } from './opt-out-identifiers.ts'
import { getPersonName, type Person } from './person-name.ts'

const AddToCampaignDialog = loadDialog(
  async () => (await import('./add-to-campaign-dialog.tsx')).AddToCampaignDialog,
)
const CreateTaskDialog = loadDialog(async () => (await import('./create-task-dialog.tsx')).CreateTaskDialog)
const LogCallDialog = loadDialog(async () => (await import('./log-call-dialog.tsx')).LogCallDialog)
const NoteDialog = loadDialog(async () => (await import('./note-dialog.tsx')).NoteDialog)
const PlaceCallDialog = loadDialog(async () => (await import('./place-call-dialog.tsx')).PlaceCallDialog)

type Action = 'campaign' | 'task' | 'placeCall' | 'logCall' | 'note' | 'optOut'

type Props = {
  person: Person
  /** Shows small buttons, including buttons that the person's page shows elsewhere. */
  isPane?: boolean
}

/** Shows buttons for the actions on a person. */
export function PersonActions({ person, isPane = false }: Props) {
  const [openAction, setOpenAction] = useState<Action>()
  const canWrite = usePermission('Inbox.SendMessage')
  const canEdit = usePermission('Prospect.EditProspect')
  const canCall = usePermission('Call.TriggerCall')
  const canEditTasks = usePermission('Task.EditTask')
  const canOptOut = usePermission('DoNotContact.EditDoNotContact')
  const { id: personId, isOptedOut, email } = person
  const identifiers = toIdentifiers(person, getPersonName(person))
  const size = isPane ? 'small' : 'medium'
  const props = { person, onClose: () => setOpenAction(undefined) }
  const navigate = useNavigate()
  const canEmail = canWrite && !isOptedOut && Boolean(email)
  const writeEmail = () => navigate({ to: '/inbox/new/$personId', params: { personId } })
  // In the inbox, the same key starts an email to anyone.
  useShortcuts(canEmail && !isPane ? { c: writeEmail } : {})
  const open = (action: Action, label: string) => (
    <Button size={size} onClick={() => setOpenAction(action)}>
      {label}
    </Button>
  )
  return (
    <div className="flex flex-wrap gap-2">
      {canCall && !isOptedOut && open('placeCall', 'Place call')}
      {canCall && open('logCall', 'Log call')}
      {canEditTasks && open('task', 'Create task')}
      {isPane && canEdit && open('note', 'Add note')}
      {canEdit && !isOptedOut && open('campaign', 'Add to campaign')}
      {isPane && canOptOut && !isOptedOut && identifiers.length > 0 && open('optOut', 'Opt out')}
      {canEmail && (
        <Link
          to="/inbox/new/$personId"
          params={{ personId }}
          className={buttonClass(isPane ? 'secondary' : 'primary', size)}
        >
          Write email
        </Link>
      )}
      {openAction === 'campaign' && <AddToCampaignDialog {...props} />}
      {openAction === 'task' && <CreateTaskDialog {...props} />}
      {openAction === 'placeCall' && <PlaceCallDialog {...props} />}
      {openAction === 'logCall' && <LogCallDialog {...props} />}
      {openAction === 'note' && <NoteDialog {...props} />}
      <OptOutDialog
        isOpen={openAction === 'optOut'}
        name={getPersonName(person)}
        identifiers={identifiers}
        onClose={props.onClose}
      />
    </div>
  )
}
