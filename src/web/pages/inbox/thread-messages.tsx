import { useState } from 'react'
import type { Output } from '../../../contract/index.ts'
import { usePermission } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { DraftEditor } from './draft-editor.tsx'
import { type Message, MessageCard } from './message-card.tsx'

type Thread = Output<'getEmailThread'>

/** Drafts that can still be changed; what is on its way stands among the messages. */
const isOpenDraft = ({ status, deliveryStatus }: Message): boolean =>
  status === 'draft' && !['queued', 'sending', 'unconfirmed'].includes(deliveryStatus ?? '')

/** The messages of a thread, its drafts, and the place to begin another reply. */
export function Messages({ thread: { prospectId, messages } }: { thread: Thread }) {
  const canWrite = usePermission('Inbox.CreateDraft')
  const [isWriting, setWriting] = useState(false)
  const [ownId, setOwnId] = useState<string>()
  const answered = messages.findLast(({ status }) => status === 'sent')
  const parent = canWrite && prospectId && answered ? { ...answered, prospectId } : undefined
  const close = () => {
    setWriting(false)
    setOwnId(undefined)
  }
  const drafts = parent ? messages.filter(isOpenDraft) : []
  const own = messages.find(({ id }) => id === ownId)
  return (
    <div className="mt-4 grid grid-cols-1 gap-3">
      {messages
        .filter(message => !drafts.includes(message))
        .map(message => (
          <MessageCard key={message.id} message={message} />
        ))}
      {drafts.map(
        draft =>
          // The one that is being written in the new editor stays there.
          draft.id !== ownId && <DraftEditor key={draft.id} parent={parent!} draft={draft} />,
      )}
      {/* What it sent stands among the messages before it closes. */}
      {parent && isWriting && (!own || drafts.includes(own)) && (
        <DraftEditor parent={parent} onCreated={setOwnId} onClose={close} />
      )}
      {parent && !isWriting && drafts.length === 0 && (
        <Button look="primary" className="justify-self-start" onClick={() => setWriting(true)}>
          Reply
        </Button>
      )}
    </div>
  )
}
