import { useOperationMutation } from '../api.ts'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { showToast } from '../ui/toast.tsx'
import { conversationReads } from './conversations.ts'
import { appendInFlightNote } from './in-flight.ts'

type Props = {
  isOpen: boolean
  name: string
  identifiers: { identifier: string; name: string }[]
  onClose: () => void
  /** Called after the person was added to the list. */
  onOptedOut?: () => void
}

/** Asks for confirmation before adding a person to the Do Not Contact list. */
export function OptOutDialog({ isOpen, name, identifiers, onClose, onOptedOut }: Props) {
  const add = useOperationMutation(
    'addOptOuts',
    ...([
      'getPerson',
      'listPersons',
      'getPersonTimeline',
      'listProspects',
      'getProspect',
      'listOptOuts',
    ] as const),
    ...conversationReads,
  )
  const optOut = async () => {
    const { inFlight } = await add({ identifiers })
    showToast(appendInFlightNote(`${name} will not be contacted again.`, inFlight))
    onClose()
    onOptedOut?.()
  }
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title={`Never contact ${name} again?`}
      confirm="Opt out"
      onConfirm={optOut}
      onCancel={onClose}
    >
      {identifiers.map(({ identifier }) => identifier).join(', ')} will be added to the Do Not Contact list.
      Their sequences stop, and nobody on your team can write to or call them.
    </ConfirmDialog>
  )
}
