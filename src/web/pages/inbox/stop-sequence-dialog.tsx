import { useOperationMutation } from '../../api.ts'
import { type Conversation, conversationReads, getContactName } from '../../components/conversations.ts'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { showToast } from '../../ui/toast.tsx'

type Props = { conversation: Conversation; onClose: () => void }

/** Asks for confirmation before ending the person's sequence, because it can't be resumed. */
export function StopSequenceDialog({ conversation, onClose }: Props) {
  const { prospectId, campaign } = conversation
  const affected = ['getProspect', 'listProspects', 'getPerson', ...conversationReads] as const
  const stop = useOperationMutation('stopProspects', ...affected)
  const name = getContactName(conversation)
  const handleConfirm = async () => {
    const { stopped } = await stop({ prospectIds: [prospectId!] })
    showToast(stopped > 0 ? 'Sequence stopped.' : 'The sequence had already ended.')
    onClose()
  }
  return (
    <ConfirmDialog
      isOpen
      title="Stop sequence?"
      confirm="Stop sequence"
      onConfirm={handleConfirm}
      onCancel={onClose}
    >
      {campaign?.name ?? 'The campaign'} sends {name} no further messages, and the sequence can’t be resumed.
      You can still write to them.
    </ConfirmDialog>
  )
}
