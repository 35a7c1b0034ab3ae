import { useState } from 'react'
import { useOperationMutation, usePermission } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { showToast } from '../../ui/toast.tsx'
import type { Message } from './message-card.tsx'

/** Nobody can know whether it left: somebody looks into the folder of sent mail, and decides. */
export function UnconfirmedDelivery({ message: { id } }: { message: Message }) {
  const resolve = useOperationMutation(
    'resolveEmailMessage',
    'getEmailThread',
    'listEmailMessages',
    'getProspect',
  )
  const canSend = usePermission('Inbox.SendMessage')
  const [isAsking, setAsking] = useState(false)
  if (!canSend) return null
  const markAsSent = () =>
    resolve({ emailMessageId: id, as: 'sent' }).then(
      () => showToast('It counts as sent.'),
      error => showToast(error.message),
    )
  const sendAgain = async () => {
    await resolve({ emailMessageId: id, as: 'send_again' })
    showToast('It is sent once more.')
    setAsking(false)
  }
  return (
    <div className="mt-3 flex flex-wrap items-center gap-2 border-line border-t pt-3 text-sm">
      <p className="min-w-0 flex-1 basis-60 text-muted">
        The connection broke as it left. Look for it in the mailbox's folder of sent mail.
      </p>
      <Button size="small" onClick={markAsSent}>
        Mark as sent
      </Button>
      <Button size="small" onClick={() => setAsking(true)}>
        Send again
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        title="Send this mail again?"
        confirm="Send again"
        onCancel={() => setAsking(false)}
        onConfirm={sendAgain}
      >
        If the first one did arrive, they get it twice; most mail programs show the two as one.
      </ConfirmDialog>
    </div>
  )
}
