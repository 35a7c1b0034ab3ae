import { useState } from 'react'
import { useOperationMutation, usePermission } from '../../api.ts'
import { conversationReads } from '../../components/conversations.ts'
import { Button } from '../../ui/button.tsx'
import { showToast } from '../../ui/toast.tsx'
import type { Message } from './message.ts'

/** Turns a queued reply back into a draft. It may wait in its mailbox's queue until the next day's sending limit. */
export function CancelSending({ message: { id } }: { message: Message }) {
  const updateDraft = useOperationMutation('updateEmailDraft', 'getEmailThread', ...conversationReads)
  const canWrite = usePermission('Inbox.CreateDraft')
  const [isBusy, setBusy] = useState(false)
  if (!canWrite) return null
  const handleClick = async () => {
    setBusy(true)
    // Any update, even an empty one, turns the message back into a draft.
    const message = await updateDraft({ emailMessageId: id }).then(
      () => 'Sending cancelled. The reply is a draft again.',
      error => error.message,
    )
    showToast(message)
    setBusy(false)
  }
  return (
    <Button size="small" className="mt-3" isBusy={isBusy} onClick={handleClick}>
      Cancel sending
    </Button>
  )
}
