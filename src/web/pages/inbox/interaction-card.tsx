import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useOperation } from '../../api.ts'
import { formatEntryStatus } from '../../components/timeline-entry.tsx'
import { Badge } from '../../ui/badge.tsx'
import { LinkedText } from '../../ui/linked-text.tsx'
import { prose } from '../../ui/prose.ts'
import { Time } from '../../ui/time.tsx'
import { ChannelMark } from './channel-mark.tsx'
import { MessageCard } from './message-card.tsx'
import type { StreamItem } from './stream.tsx'
import type { Interaction, Interactions } from './use-interactions.ts'

const linkClass = 'text-accent underline-offset-2 hover:underline'
/** Statuses that the direction of a message already implies. */
const redundantStatuses = ['sent', 'reply']

type TextView = { isPlain: boolean; onSwitch: () => void }

/** Returns the person's other messages and calls as items of the open conversation's stream. */
export const toStreamItems = ({ shown, name }: Interactions, view: TextView): StreamItem[] =>
  shown.map(interaction => ({
    key: interaction.id,
    at: interaction.at,
    node: <InteractionCard interaction={interaction} name={name} view={view} />,
  }))

/** Links to interactions that are older than those shown. */
export const EarlierInteractions = ({ personId, hasMore }: Interactions) =>
  hasMore &&
  personId && (
    <p className="text-sm">
      <Link to="/people/$personId" params={{ personId }} className={linkClass}>
        Show earlier events
      </Link>
    </p>
  )

type Props = { interaction: Interaction; name: string }

function InteractionCard({ view, ...props }: Props & { view: TextView }) {
  if (props.interaction.type === 'email') return <EmailCard {...props} view={view} />
  return props.interaction.type === 'call' ? <CallCard {...props} /> : <LinkedinCard {...props} />
}

type CardProps = {
  interaction: Interaction
  label: string
  channel: 'email' | 'linkedin' | 'call'
  children: ReactNode
  title: ReactNode
}

function Card({ interaction, label, channel, title, children }: CardProps) {
  const { direction, status = '', at } = interaction
  return (
    <article
      aria-label={label}
      className={`relative scroll-my-3 rounded-card border border-line px-4 py-2.5 text-sm ${direction === 'in' ? 'bg-surface' : 'bg-sunken/60'}`}
    >
      <p className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1">
        {title}
        <span className="flex items-center gap-2 text-muted">
          {!redundantStatuses.includes(status) && <Badge>{formatEntryStatus(interaction)}</Badge>}
          <ChannelMark channel={channel} />
          <Time at={at} />
        </span>
      </p>
      {children}
    </article>
  )
}

/** Shows an email of another thread: one line until it is opened. */
function EmailCard({ interaction, name, view }: Props & { view: TextView }) {
  const { id, direction, title, text, emailThreadId = '' } = interaction
  const [isOpen, setOpen] = useState(false)
  const { data: message } = useOperation('getEmailMessage', { emailMessageId: id }, { isEnabled: isOpen })
  if (isOpen && message)
    return (
      <MessageCard message={message} isCollapsed={false} onCollapse={() => setOpen(false)} {...view}>
        <p className="mt-3 text-sm">
          <Link to="/inbox/$emailThreadId" params={{ emailThreadId }} search={true} className={linkClass}>
            Open thread “{message.subject || 'No subject'}”
          </Link>
        </p>
      </MessageCard>
    )
  return (
    <Card
      interaction={interaction}
      channel="email"
      label={direction === 'in' ? `Email from ${name}, another thread` : 'Email from you, another thread'}
      title={
        <span className="min-w-0 flex-1 truncate">
          <button
            type="button"
            aria-expanded={false}
            onClick={() => setOpen(true)}
            className="rounded-control font-medium after:absolute after:inset-0"
          >
            {direction === 'in' ? name : 'You'}
          </button>{' '}
          <span>{title || 'No subject'}</span> <span className="text-muted">{text}</span>
        </span>
      }
    >
      {null}
    </Card>
  )
}

/** Renders the message as plain text, because its content is untrusted. */
function LinkedinCard({ interaction, name }: Props) {
  const { id, direction, text, linkedinConversationId = '' } = interaction
  const { data } = useOperation('getLinkedinConversation', { linkedinConversationId })
  const from = direction === 'in' ? name : 'You'
  return (
    <Card
      interaction={interaction}
      channel="linkedin"
      label={`LinkedIn message from ${direction === 'in' ? name : 'you'}`}
      title={
        <Link
          to="/inbox/linkedin/$linkedinConversationId"
          params={{ linkedinConversationId }}
          search={true}
          className="font-medium underline-offset-2 hover:underline"
        >
          {from}
        </Link>
      }
    >
      <p className={`mt-2.5 text-base ${prose}`}>
        <LinkedText text={data?.messages.find(message => message.id === id)?.text ?? text ?? ''} />
      </p>
    </Card>
  )
}

/** Links to the page of the call, which has its transcript and the player of its recording. */
function CallCard({ interaction, name }: Props) {
  const { id, direction, text } = interaction
  const title = direction === 'in' ? `Call from ${name}` : `Call to ${name}`
  return (
    <Card
      interaction={interaction}
      channel="call"
      label={title}
      title={<span className="font-medium">{title}</span>}
    >
      {text && <p className={`mt-2.5 text-base ${prose}`}>{text}</p>}
      <p className="mt-1">
        <Link to="/calls/$callId" params={{ callId: id }} className={linkClass}>
          Open call
        </Link>
      </p>
    </Card>
  )
}
