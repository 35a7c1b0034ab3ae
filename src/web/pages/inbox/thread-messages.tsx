import { useState } from 'react'
import type { Output } from '../../../contract/index.ts'
import { usePermission } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { DraftEditor } from './draft-editor.tsx'
import { composerProps } from './focus-composer.ts'
import type { Message } from './message.ts'
import { MessageList } from './message-list.tsx'

type Thread = Output<'getEmailThread'>

/** True for drafts that can be edited. Queued ones are shown among the messages. */
const isEditableDraft = ({ status, deliveryStatus }: Message): boolean =>
  status === 'draft' && !['queued', 'sending', 'unconfirmed'].includes(deliveryStatus ?? '')

/** The messages of a thread, its drafts and the button to reply. */
export function ThreadMessages({ thread: { prospectId, messages } }: { thread: Thread }) {
  const canWrite = usePermission('Inbox.CreateDraft')
  const [isWriting, setWriting] = useState(false)
  const [newDraftId, setNewDraftId] = useState<string>()
  const lastSent = messages.findLast(({ status }) => status === 'sent')
  const parent = canWrite && prospectId && lastSent ? { ...lastSent, prospectId } : undefined
  const close = () => {
    setWriting(false)
    setNewDraftId(undefined)
  }
  const drafts = parent ? messages.filter(isEditableDraft) : []
  const newDraft = messages.find(({ id }) => id === newDraftId)
  return (
    <div className="mt-4 grid grid-cols-1 gap-3">
      <MessageList messages={messages.filter(message => !drafts.includes(message))} />
      {/* Until the first save answers, a draft that appears is the one being written; it stays in the open editor. */}
      {(!isWriting || newDraftId) &&
        drafts.map(
          draft => draft.id !== newDraftId && <DraftEditor key={draft.id} parent={parent!} draft={draft} />,
        )}
      {/* A sent draft already appears among the messages before its editor closes. */}
      {parent && isWriting && (!newDraft || drafts.includes(newDraft)) && (
        <DraftEditor parent={parent} onCreated={setNewDraftId} onClose={close} />
      )}
      {parent && !isWriting && drafts.length === 0 && (
        <Button
          look="primary"
          {...composerProps}
          className="justify-self-start"
          onClick={() => setWriting(true)}
        >
          Reply
        </Button>
      )}
    </div>
  )
}
