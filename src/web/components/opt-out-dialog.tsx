import { useOperationMutation } from '../api.ts'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { formatNumber } from '../ui/time.tsx'
import { showToast } from '../ui/toast.tsx'
import { conversationReads } from './conversations.ts'

type Props = {
  isOpen: boolean
  name: string
  identifiers: { identifier: string; name: string }[]
  onClose: () => void
  /** Called after the person was put on the list. */
  onOptedOut?: () => void
}

/** Asks before a person goes on the Do Not Contact list. */
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
    showToast(
      `${name} is not contacted any more.${inFlight > 0 ? ` ${formatNumber(inFlight)} messages were already being sent.` : ''}`,
    )
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
      {identifiers.map(({ identifier }) => identifier).join(', ')} go on the Do Not Contact list. Their
      sequences stop, and nobody in your team can write to or call them.
    </ConfirmDialog>
  )
}
