import { useNavigate } from '@tanstack/react-router'
import { useInvalidate, useOperationMutation } from '../../api.ts'
import { conversationReads } from '../../components/conversations.ts'
import { formatSnoozeTime } from '../../components/snooze-times.ts'
import { showToast } from '../../ui/toast.tsx'
import { type EmailContent, toExpected } from './email-content.ts'
import { focusDraftWhenShown } from './focus-composer.ts'
import { formatAddresses } from './message.ts'
import { keepInboxSearch } from './search-params.ts'
import type { SendOptions } from './use-composer.ts'

/** How long undo is offered. */
const UNDO_MS = 6_000
/** How long the server holds an email: a little longer than undo is offered. */
const DELAY_SECONDS = 8

/**
 * Returns a function that sends a draft, unless its subject, text, recipients or files differ from this content. The
 * server holds the email for a few seconds, so that the user can undo.
 */
export function useSendEmail() {
  const send = useOperationMutation('sendEmailDraft')
  const revertToDraft = useOperationMutation('updateEmailDraft')
  const refresh = useInvalidate('getEmailThread', ...conversationReads, 'getProspect')
  const navigate = useNavigate()
  const undo = async (emailMessageId: string, emailThreadId: string | undefined, onUndone: () => void) => {
    // Any update, even an empty one, turns the message back into a draft.
    await revertToDraft({ emailMessageId })
    onUndone()
    focusDraftWhenShown(emailMessageId)
    if (emailThreadId)
      await navigate({ to: '/inbox/$emailThreadId', params: { emailThreadId }, search: keepInboxSearch })
    await refresh()
  }
  return async (
    emailMessageId: string,
    content: EmailContent,
    { sendAt, ...overrides }: SendOptions,
    onUndone: () => void,
  ) => {
    const { recipients, emailThreadId } = await send({
      emailMessageId,
      ...toExpected(content),
      ...overrides,
      ...(sendAt ? { sendAt } : { delaySeconds: DELAY_SECONDS }),
    })
    const to = formatAddresses(recipients.to)
    showToast(
      sendAt
        ? `Email to ${to} scheduled for ${formatSnoozeTime(new Date(sendAt))}.`
        : `Sending the email to ${to}…`,
      () => void undo(emailMessageId, emailThreadId, onUndone).catch(error => showToast(error.message)),
      sendAt ? undefined : UNDO_MS,
    )
  }
}
