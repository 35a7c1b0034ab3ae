import { call, useInvalidate, useOperationMutation } from '../../api.ts'
import { conversationReads } from '../../components/conversations.ts'
import { showToast } from '../../ui/toast.tsx'
import { formatRecipients, type Message } from './message.ts'
import { Copies, MessageBadge } from './message-card.tsx'
import { ReplyEditor } from './reply-editor.tsx'

type Props = {
  /** The message being replied to. */
  parent: Message & { prospectId: string }
  /** Omitted for a new reply. */
  draft?: Message | undefined
  onCreated?: (id: string) => void
  onClose?: () => void
}

/** Editor of an email reply. */
export function DraftEditor({ parent, draft, onCreated, onClose }: Props) {
  const create = useOperationMutation('createEmailDraft')
  const remove = useOperationMutation('deleteEmailDraft')
  const send = useOperationMutation('sendEmailDraft')
  const refresh = useInvalidate('getEmailThread', ...conversationReads, 'getProspect')
  const reply = { prospectId: parent.prospectId, emailMessageIdToReplyTo: parent.id }
  const to = formatRecipients(draft ?? parent)
  return (
    <ReplyEditor
      store={{
        id: draft?.id,
        create: async (body, options) =>
          (await call('createEmailDraft', { ...reply, body }, options)).messageId,
        update: (emailMessageId, body) => call('updateEmailDraft', { emailMessageId, body }),
        onCreated,
      }}
      initial={draft && (draft.body ?? '')}
      label={
        <>
          <span className="font-medium">Reply</span> <span className="text-muted">to {to}</span>
          {draft && <Copies message={draft} />}
        </>
      }
      badge={draft && <MessageBadge message={draft} />}
      sendLabel="Send reply"
      rows={5}
      send={async (emailMessageId, overrides) => {
        await send({ emailMessageId, ...overrides })
        showToast(`Reply to ${to} queued.`)
      }}
      remove={async (emailMessageId, body) => {
        await remove({ emailMessageId })
        const restore = () => void create({ ...reply, body }).then(refresh)
        showToast('Draft deleted.', body.trim() ? restore : undefined)
      }}
      refresh={refresh}
      onClose={onClose}
    />
  )
}
