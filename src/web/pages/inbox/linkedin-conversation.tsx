import { getRouteApi, Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { Output } from '../../../contract/index.ts'
import { useOperation, useOperationMutation, usePermission } from '../../api.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { FormSkeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { LinkedinDraftEditor } from './linkedin-draft-editor.tsx'
import type { LinkedinMessage } from './linkedin-inbox.tsx'
import { NextStep } from './next-step.tsx'
import { RecordDialog } from './record-message.tsx'

export type Conversation = Output<'getLinkedinConversation'>

const route = getRouteApi('/shell/inbox/linkedin/$linkedinConversationId')

export function ConversationPage() {
  const query = useOperation('getLinkedinConversation', route.useParams())
  return (
    <>
      <p className="mb-3 wide:hidden">
        <Link to="/inbox/linkedin" search={true} className="text-accent underline-offset-2 hover:underline">
          All conversations
        </Link>
      </p>
      <Loaded query={query} skeleton={<FormSkeleton fields={3} />}>
        {conversation => <Opened key={conversation.id} conversation={conversation} />}
      </Loaded>
    </>
  )
}

function Opened({ conversation }: { conversation: Conversation }) {
  const { personName, linkedinUrl, repName, tags, prospectId, messages } = conversation
  useRead(conversation)
  return (
    <section aria-labelledby="conversation-title">
      <h2 id="conversation-title" className="break-words font-semibold text-lg">
        {personName ?? 'Somebody'}
      </h2>
      <p className="flex flex-wrap gap-x-3 text-muted text-sm">
        {repName && <span>with {repName}</span>}
        {linkedinUrl && (
          <a href={linkedinUrl} target="_blank" rel="noreferrer" className="text-accent underline">
            Open profile
          </a>
        )}
      </p>
      {tags.length > 0 && (
        <p className="mt-1.5 flex flex-wrap gap-1.5">
          {tags.map(tag => (
            <Badge key={tag} tone="accent">
              {tag}
            </Badge>
          ))}
        </p>
      )}
      {prospectId && <NextStep prospectId={prospectId} />}
      <div className="mt-4 grid grid-cols-1 gap-3">
        {messages
          .filter(message => message.status === 'sent' || message.taskId)
          .map(message => (
            <LinkedinMessageCard key={message.id} message={message} />
          ))}
        <Writing conversation={conversation} />
      </div>
    </section>
  )
}

/** Who opens it has read it. */
function useRead({ conversationId, messages }: Conversation): void {
  const canMark = usePermission('Inbox.SendMessage')
  const read = useOperationMutation(
    'readLinkedinConversation',
    'listLinkedinMessages',
    'getLinkedinConversation',
  )
  const isUnread = canMark && messages.some(message => message.isUnread)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for what is unread; it is no matter if it fails
  useEffect(() => {
    if (isUnread) read({ conversationId }).catch(() => {})
  }, [isUnread, conversationId])
}

/** As text alone, whatever it holds. */
function LinkedinMessageCard({
  message: { type, text, happenedAt, personName, taskId },
}: {
  message: LinkedinMessage
}) {
  const isReceived = type === 'received'
  return (
    <article
      aria-label={isReceived ? `From ${personName ?? 'them'}` : 'From you'}
      className={`max-w-[72ch] rounded-card border border-line px-4 py-2.5 ${isReceived ? 'bg-surface' : 'bg-sunken/60'}`}
    >
      <p className="flex flex-wrap justify-between gap-x-4 text-sm">
        <span className="font-medium">{isReceived ? (personName ?? 'They') : 'You'}</span>
        <span className="flex items-center gap-2 text-muted">
          {taskId && (
            <Link to="/tasks" className="text-accent underline">
              on its way, see the task
            </Link>
          )}
          {happenedAt && <Time at={happenedAt} />}
        </span>
      </p>
      <p className="whitespace-pre-wrap break-words">{text}</p>
    </article>
  )
}

function Writing({ conversation }: { conversation: Conversation }) {
  const { prospectId, repId, messages } = conversation
  const canWrite = usePermission('Inbox.CreateDraft')
  const canRecord = usePermission('Inbox.SendMessage')
  const [isWriting, setWriting] = useState(false)
  const [isRecording, setRecording] = useState(false)
  const [ownId, setOwnId] = useState<string>()
  if (!prospectId || !repId || !canWrite) return null
  const drafts = messages.filter(({ status, taskId }) => status === 'draft' && !taskId)
  const own = messages.find(({ id }) => id === ownId)
  const to = { prospectId, repId, name: conversation.personName ?? 'them' }
  const close = () => {
    setWriting(false)
    setOwnId(undefined)
  }
  return (
    <>
      {drafts.map(
        draft => draft.id !== ownId && <LinkedinDraftEditor key={draft.id} to={to} draft={draft} />,
      )}
      {/* What it sent stands among the messages before it closes. */}
      {isWriting && (!own || drafts.includes(own)) && (
        <LinkedinDraftEditor to={to} onCreated={setOwnId} onClose={close} />
      )}
      <div className="flex flex-wrap gap-2">
        {!isWriting && drafts.length === 0 && (
          <Button look="primary" onClick={() => setWriting(true)}>
            Reply
          </Button>
        )}
        {canRecord && <Button onClick={() => setRecording(true)}>Record a message</Button>}
      </div>
      {isRecording && <RecordDialog to={to} onClose={() => setRecording(false)} />}
    </>
  )
}
