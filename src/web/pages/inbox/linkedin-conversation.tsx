import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Output } from '../../../contract/index.ts'
import { useOperation } from '../../api.ts'
import { NextStep } from '../../components/next-step.tsx'
import { Badge } from '../../ui/badge.tsx'
import { openedProps } from '../../ui/focus-on-navigation.ts'
import { LinkedText } from '../../ui/linked-text.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { prose } from '../../ui/prose.ts'
import { FormSkeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { useShortcuts } from '../../ui/use-shortcuts.ts'
import { AnswerChannels } from './answer-channels.tsx'
import { ChannelMark } from './channel-mark.tsx'
import { ConversationPerson } from './conversation-person.tsx'
import { EarlierInteractions, toStreamItems } from './interaction-card.tsx'
import { LinkedinDrafts } from './linkedin-answer.tsx'
import { Stream } from './stream.tsx'
import { ThreadComposer } from './thread-messages.tsx'
import { type Interactions, useInteractions } from './use-interactions.ts'

type Conversation = Output<'getLinkedinConversation'>
type LinkedinMessage = Conversation['messages'][number]

const route = getRouteApi('/shell/inbox/linkedin/$linkedinConversationId')

export function ConversationPage() {
  const { linkedinConversationId } = route.useParams()
  const query = useOperation('getLinkedinConversation', { linkedinConversationId })
  const interactions = useInteractions(query.data?.personId, linkedinConversationId)
  // Wait for the other channels too, so that they don't move the text while it is being read.
  const shown = interactions.isLoading ? { ...query, data: undefined } : query
  return (
    <Loaded query={shown} skeleton={<FormSkeleton fields={3} />}>
      {conversation => (
        <ConversationView key={conversation.id} conversation={conversation} interactions={interactions} />
      )}
    </Loaded>
  )
}

type Props = { conversation: Conversation; interactions: Interactions }

function ConversationView({ conversation, interactions }: Props) {
  const { personId, personName, linkedinUrl, repName, tags, prospectId, messages } = conversation
  const [isPlain, setPlain] = useState(false)
  const view = { isPlain, onSwitch: () => setPlain(!isPlain) }
  useShortcuts({ v: view.onSwitch })
  const items = messages
    .filter(message => message.status === 'sent' || message.taskId)
    .map(message => ({
      key: message.id,
      at: message.happenedAt ?? message.createdAt,
      node: <LinkedinMessageCard message={message} />,
    }))
  const { emailThreadId } = interactions
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
        <EarlierInteractions {...interactions} />
        <Stream items={[...items, ...toStreamItems(interactions, view)]} />
        <AnswerChannels
          own="linkedin"
          other={emailThreadId && <EmailAnswer key={emailThreadId} emailThreadId={emailThreadId} />}
        >
          {() => <LinkedinDrafts conversation={conversation} />}
        </AnswerChannels>
      </div>
      <ConversationPerson personId={personId} />
    </section>
  )
}

/** Renders the message as plain text, because its content is untrusted. */
function LinkedinMessageCard({
  message: { type, text, happenedAt, personName, taskId },
}: {
  message: LinkedinMessage
}) {
  const isReceived = type === 'received'
  return (
    <article
      aria-label={isReceived ? `From ${personName ?? 'contact'}` : 'From you'}
      className={`scroll-my-3 rounded-card border border-line px-4 py-2.5 ${isReceived ? 'bg-surface' : 'bg-sunken/60'}`}
    >
      <p className="flex flex-wrap justify-between gap-x-4 text-sm">
        <span className="font-medium">{isReceived ? (personName ?? 'Contact') : 'You'}</span>
        <span className="flex items-center gap-2 text-muted">
          {taskId && (
            <Link to="/tasks" className="text-accent underline">
              Queued as a task
            </Link>
          )}
          <ChannelMark channel="linkedin" />
          {happenedAt && <Time at={happenedAt} />}
        </span>
      </p>
      <p className={`mt-2.5 ${prose}`}>
        <LinkedText text={text} />
      </p>
    </article>
  )
}

/** Shows the composer of the latest email thread with the person. */
function EmailAnswer({ emailThreadId }: { emailThreadId: string }) {
  return (
    <Loaded query={useOperation('getEmailThread', { emailThreadId })} skeleton={<FormSkeleton fields={1} />}>
      {thread => (
        <>
          <p className="text-muted text-sm">In the thread “{thread.subject || 'No subject'}”</p>
          <ThreadComposer thread={thread} />
        </>
      )}
    </Loaded>
  )
}
