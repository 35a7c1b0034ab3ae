import { useState } from 'react'
import { useOperationMutation, usePermission } from '../../api.ts'
import { conversationReads } from '../../components/conversations.ts'
import { formatSnoozeTime } from '../../components/snooze-times.ts'
import { Button } from '../../ui/button.tsx'
import { showToast } from '../../ui/toast.tsx'
import type { Message } from './message.ts'

/** The send time of a queued email is shown when it is at least this far ahead. */
const SOON_MS = 60_000

/** Shows the send time of a queued email, and a button that turns it back into a draft. */
export function QueuedEmail({ message: { id, sendAt } }: { message: Message }) {
  const updateDraft = useOperationMutation('updateEmailDraft', 'getEmailThread', ...conversationReads)
  const canWrite = usePermission('Inbox.CreateDraft')
  const [isBusy, setBusy] = useState(false)
  const handleClick = async () => {
    setBusy(true)
    // Any update, even an empty one, turns the message back into a draft.
    const message = await updateDraft({ emailMessageId: id }).then(
      () => 'Sending cancelled. The email is a draft again.',
      error => error.message,
    )
    showToast(message)
    setBusy(false)
  }
  const at = sendAt && new Date(sendAt)
  const isLater = at && at.getTime() > Date.now() + SOON_MS
  return (
    <p className="mt-3 flex flex-wrap items-center gap-2 text-muted text-sm">
      {isLater && `Scheduled for ${formatSnoozeTime(at)}.`}
      {canWrite && (
        <Button size="small" isBusy={isBusy} onClick={handleClick}>
          Cancel sending
        </Button>
      )}
    </p>
  )
}
