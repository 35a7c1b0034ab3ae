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
      Campaigns no longer send from it, and its replies are no longer read. Its messages are kept.
    </ConfirmDialog>
  )
}
