import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Output } from '../../../contract/index.ts'
import { useOperation, usePermission } from '../../api.ts'
import { NextStep } from '../../components/next-step.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { openedProps } from '../../ui/focus-on-navigation.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { FormSkeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { ConversationPerson } from './conversation-person.tsx'
import { composerProps } from './focus-composer.ts'
import { LinkedinComposer } from './linkedin-composer.tsx'
import { RecordMessageDialog } from './record-message.tsx'

export type Conversation = Output<'getLinkedinConversation'>
export type LinkedinMessage = Conversation['messages'][number]

const route = getRouteApi('/shell/inbox/linkedin/$linkedinConversationId')

export function ConversationPage() {
  const query = useOperation('getLinkedinConversation', route.useParams())
  return (
    <Loaded query={query} skeleton={<FormSkeleton fields={3} />}>
      {conversation => <ConversationView key={conversation.id} conversation={conversation} />}
    </Loaded>
  )
}

function ConversationView({ conversation }: { conversation: Conversation }) {
  const { personId, personName, linkedinUrl, repName, tags, prospectId, messages } = conversation
  return (
    <section aria-labelledby="conversation-title">
      <h2 id="conversation-title" {...openedProps} className="break-words font-semibold text-lg outline-none">
        {personName ?? 'Unknown contact'}
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
        <Composer conversation={conversation} />
      </div>
      <ConversationPerson personId={personId} />
    </section>
  )
}

/** Rendered as plain text: the content is untrusted. */
function LinkedinMessageCard({
  message: { type, text, happenedAt, personName, taskId },
}: {
  message: LinkedinMessage
}) {
  const isReceived = type === 'received'
  return (
    <article
      aria-label={isReceived ? `From ${personName ?? 'contact'}` : 'From you'}
      className={`max-w-[72ch] rounded-card border border-line px-4 py-2.5 ${isReceived ? 'bg-surface' : 'bg-sunken/60'}`}
    >
      <p className="flex flex-wrap justify-between gap-x-4 text-sm">
        <span className="font-medium">{isReceived ? (personName ?? 'Contact') : 'You'}</span>
        <span className="flex items-center gap-2 text-muted">
          {taskId && (
            <Link to="/tasks" className="text-accent underline">
              Queued as a task
            </Link>
          )}
          {happenedAt && <Time at={happenedAt} />}
        </span>
      </p>
      <p className="whitespace-pre-wrap break-words">{text}</p>
    </article>
  )
}

function Composer({ conversation }: { conversation: Conversation }) {
  const { prospectId, repId, personId, messages } = conversation
  const canWrite = usePermission('Inbox.CreateDraft')
  const canRecord = usePermission('Inbox.SendMessage')
  const [isWriting, setWriting] = useState(false)
  const [isRecording, setRecording] = useState(false)
  const [newDraftId, setNewDraftId] = useState<string>()
  if (!prospectId || !repId || !canWrite) return null
  const drafts = messages.filter(({ status, taskId }) => status === 'draft' && !taskId)
  const newDraft = messages.find(({ id }) => id === newDraftId)
  const to = { prospectId, repId, personId, name: conversation.personName ?? 'contact' }
  const close = () => {
    setWriting(false)
    setNewDraftId(undefined)
  }
  return (
    <>
      {/* Until the first save answers, a draft that appears is the one being written. */}
      {(!isWriting || newDraftId) &&
        drafts.map(
          draft => draft.id !== newDraftId && <LinkedinComposer key={draft.id} to={to} draft={draft} />,
        )}
      {/* A sent draft already appears among the messages before its editor closes. */}
      {isWriting && (!newDraft || drafts.includes(newDraft)) && (
        <LinkedinComposer to={to} onCreated={setNewDraftId} onClose={close} />
      )}
      <div className="flex flex-wrap gap-2">
        {!isWriting && drafts.length === 0 && (
          <Button look="primary" {...composerProps} onClick={() => setWriting(true)}>
            Reply
          </Button>
        )}
        {canRecord && <Button onClick={() => setRecording(true)}>Record message</Button>}
      </div>
      {isRecording && <RecordMessageDialog to={to} onClose={() => setRecording(false)} />}
    </>
  )
}
