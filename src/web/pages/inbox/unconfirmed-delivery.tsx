import { useState } from 'react'
import { useOperationMutation, usePermission } from '../../api.ts'
import { conversationReads } from '../../components/conversations.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { showToast } from '../../ui/toast.tsx'
import type { Message } from './message.ts'

/** Asks a person to check the sent folder for a message that may not have been sent, and to decide. */
export function UnconfirmedDelivery({ message: { id } }: { message: Message }) {
  const resolve = useOperationMutation(
    'resolveEmailMessage',
    'getEmailThread',
    ...conversationReads,
    'getProspect',
  )
  const canSend = usePermission('Inbox.SendMessage')
  const [isConfirming, setConfirming] = useState(false)
  if (!canSend) return null
  const markAsSent = () =>
    resolve({ emailMessageId: id, as: 'sent' }).then(
      () => showToast('Message marked as sent.'),
      error => showToast(error.message),
    )
  const sendAgain = async () => {
    await resolve({ emailMessageId: id, as: 'send_again' })
    showToast('Message queued again.')
    setConfirming(false)
  }
  return (
    <div className="mt-3 flex flex-wrap items-center gap-2 border-line border-t pt-3 text-sm">
      <p className="min-w-0 flex-1 basis-60 text-muted">
        The connection was lost while sending. Check the mailbox’s sent folder for this message.
      </p>
      <Button size="small" onClick={markAsSent}>
        Mark as sent
      </Button>
      <Button size="small" onClick={() => setConfirming(true)}>
        Send again
      </Button>
      <ConfirmDialog
        isOpen={isConfirming}
        title="Send this email again?"
        confirm="Send again"
        onCancel={() => setConfirming(false)}
        onConfirm={sendAgain}
      >
        If the first email arrived, the recipients receive it twice. Most email clients show both as one.
      </ConfirmDialog>
    </div>
  )
}
