import { useOperationMutation } from '../../api.ts'
import type { Mailbox } from '../../components/mailbox-state.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'

export function RemoveMailbox({ mailbox, onClose }: { mailbox: Mailbox | undefined; onClose: () => void }) {
  const remove = useOperationMutation('deleteMailbox', 'listMailboxes', 'listReps')
  return (
    <ConfirmDialog
      isOpen={mailbox !== undefined}
      title={`Remove ${mailbox?.email}?`}
      confirm="Remove mailbox"
      onConfirm={async () => {
        await remove({ mailboxId: mailbox!.id })
        onClose()
      }}
      onCancel={onClose}
    >
      Campaigns stop sending from this mailbox, and Overture stops reading its replies. Its messages are kept.
    </ConfirmDialog>
  )
}
