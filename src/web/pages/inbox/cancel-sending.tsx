import { useState } from 'react'
import { useOperationMutation, usePermission } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { showToast } from '../../ui/toast.tsx'
import type { Message } from './message-card.tsx'

/** A reply waits in the queue of its mailbox, maybe for the room that its cap leaves tomorrow: until then it can be had back. */
export function CancelSending({ message: { id } }: { message: Message }) {
  const change = useOperationMutation('updateEmailDraft', 'getEmailThread', 'listEmailMessages')
  const canWrite = usePermission('Inbox.CreateDraft')
  const [isBusy, setBusy] = useState(false)
  if (!canWrite) return null
  const takeBack = async () => {
    setBusy(true)
    // That alone makes it a draft again, also with nothing changed.
    const said = await change({ emailMessageId: id }).then(
      () => 'It is a draft again.',
      error => error.message,
    )
    showToast(said)
    setBusy(false)
  }
  return (
    <Button size="small" className="mt-3" isBusy={isBusy} onClick={takeBack}>
      Take back
    </Button>
  )
}
