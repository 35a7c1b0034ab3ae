import { call, useInvalidate, useOperationMutation } from '../../api.ts'
import { conversationReads } from '../../components/conversations.ts'
import { showToast } from '../../ui/toast.tsx'
import { ComposerForm } from './composer-form.tsx'
import { useComposerFocus } from './focus-composer.ts'
import { useComposer } from './use-composer.ts'

type Props = {
  to: { prospectId: string; repId: string; personId?: string | undefined; name: string }
  /** Omitted for a new message. */
  draft?: { id: string; text: string } | undefined
  onCreated?: (id: string) => void
  onClose?: () => void
}

/** Edits a LinkedIn message. */
export function LinkedinComposer({ to: { name, personId, ...to }, draft, onCreated, onClose }: Props) {
  const remove = useOperationMutation('deleteLinkedinDraft')
  const send = useOperationMutation('sendLinkedinDraft')
  const composer = useComposer({
    store: {
      id: draft?.id,
      create: async ({ text }, options) => (await call('createLinkedinDraft', { ...to, text }, options)).id,
      update: (linkedinMessageId, { text }, saved) =>
        call('updateLinkedinDraft', { linkedinMessageId, text, expectedText: saved.text }),
      onCreated,
    },
    initial: { text: draft?.text ?? '' },
    isStored: draft !== undefined,
    send: async (linkedinMessageId, { force }, { text: expectedText }) => {
      const { taskId } = await send({ linkedinMessageId, expectedText, ...(force && { force }) })
      showToast(taskId ? `Message to ${name} queued: see Tasks.` : `Message to ${name} sent.`)
    },
    remove: linkedinMessageId => remove({ linkedinMessageId }),
    refresh: useInvalidate('getLinkedinConversation', ...conversationReads, 'getProspect', 'listTasks'),
    onClose,
  })
  useComposerFocus(composer.field, { isNew: !draft })
  return (
    <ComposerForm
      composer={composer}
      label={
        <>
          <span className="font-medium">Message</span>{' '}
          <span className="text-muted">to {name} on LinkedIn</span>
        </>
      }
      note="Sent immediately if the rep is connected through Unipile. Otherwise, the message becomes a task for the rep."
      sendLabel="Send message"
      rows={3}
      maxLength={8000}
      about={{ personId, repId: to.repId }}
    />
  )
}
