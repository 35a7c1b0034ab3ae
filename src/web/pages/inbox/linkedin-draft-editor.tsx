import { call, useInvalidate, useOperationMutation } from '../../api.ts'
import { conversationReads } from '../../components/conversations.ts'
import { showToast } from '../../ui/toast.tsx'
import type { LinkedinMessage } from './linkedin-conversation.tsx'
import { ReplyEditor } from './reply-editor.tsx'

type Props = {
  to: { prospectId: string; repId: string; name: string }
  /** Omitted for a new message. */
  draft?: LinkedinMessage | undefined
  onCreated?: (id: string) => void
  onClose?: () => void
}

/** Editor of a LinkedIn message. */
export function LinkedinDraftEditor({ to: { name, ...to }, draft, onCreated, onClose }: Props) {
  const remove = useOperationMutation('deleteLinkedinDraft')
  const send = useOperationMutation('sendLinkedinDraft')
  const refresh = useInvalidate('getLinkedinConversation', ...conversationReads, 'getProspect', 'listTasks')
  return (
    <ReplyEditor
      store={{
        id: draft?.id,
        create: async (text, options) => (await call('createLinkedinDraft', { ...to, text }, options)).id,
        update: (linkedinMessageId, text) => call('updateLinkedinDraft', { linkedinMessageId, text }),
        onCreated,
      }}
      initial={draft && (draft.text ?? '')}
      label={
        <>
          <span className="font-medium">Message</span>{' '}
          <span className="text-muted">to {name} on LinkedIn</span>
        </>
      }
      note="A connected LinkedIn account sends the message. Without one, it becomes a task for the rep."
      sendLabel="Send message"
      rows={3}
      maxLength={8000}
      send={async (linkedinMessageId, { force }) => {
        const { taskId } = await send({ linkedinMessageId, ...(force && { force }) })
        showToast(taskId ? `Message to ${name} queued: see Tasks.` : `Message to ${name} sent.`)
      }}
      remove={linkedinMessageId => remove({ linkedinMessageId })}
      refresh={refresh}
      onClose={onClose}
    />
  )
}
