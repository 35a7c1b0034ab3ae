import type { ReactNode } from 'react'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { Time } from '../../ui/time.tsx'
import { ChannelMark } from './channel-mark.tsx'
import { formatCopies, getRecipientNames, getSenderName, type Message } from './message.ts'
import { MessageAttachments } from './message-attachments.tsx'
import { MessageBody } from './message-body.tsx'
import { getOwnText } from './message-text.ts'
import { QueuedEmail } from './queued-email.tsx'
import { ClassificationNotes, IntentBadge } from './reply-classification.tsx'
import { UnconfirmedDelivery } from './unconfirmed-delivery.tsx'

/** Enough characters of a collapsed message to fill its line, which CSS cuts off. */
const PREVIEW_LENGTH = 300

const badges: Record<string, [label: string, tone: Tone]> = {
  auto_reply: ['Automatic reply', 'neutral'],
  unsubscribe: ['Opt-out request', 'amber'],
  queued: ['Queued', 'blue'],
  sending: ['Sending', 'blue'],
  unconfirmed: ['Unconfirmed', 'amber'],
  needs_approval: ['Awaiting approval', 'amber'],
  failed: ['Failed', 'red'],
  suppressed: ['Do Not Contact', 'amber'],
  bounced: ['Bounced', 'red'],
  agent_draft: ['Drafted by reply agent', 'accent'],
}

/** Marks messages with an unusual kind or delivery status. */
export function MessageBadge({ message, isEdited = false }: { message: Message; isEdited?: boolean }) {
  const { type, status, receivedKind, deliveryStatus, deliveryReason, approvalRequest } = message
  const isAgentDraft = type === 'reply_agent' && status === 'draft'
  const draftKind = approvalRequest ? 'needs_approval' : isAgentDraft ? 'agent_draft' : ''
  const badge = badges[deliveryStatus ?? receivedKind ?? draftKind]
  if (!badge) return null
  return (
    <span title={deliveryReason ?? approvalRequest?.by}>
      <Badge tone={badge[1]}>
        {badge[0]}
        {isEdited && isAgentDraft && ', edited'}
      </Badge>
    </span>
  )
}

export const Copies = ({ recipients }: { recipients: Parameters<typeof formatCopies>[0] }) =>
  formatCopies(recipients).map(([kind, to]) => (
    <span key={kind} className="block text-muted">
      <span className="font-medium text-text">{kind}</span> {to}
    </span>
  ))

type Props = {
  message: Message
  isCollapsed: boolean
  onCollapse: (isCollapsed: boolean) => void
  isPlain: boolean
  onSwitch: () => void
  /** Shown below the content. */
  children?: ReactNode
}

/** Shows a message of a thread: one line when collapsed. */
export function MessageCard({ message, isCollapsed, onCollapse, isPlain, onSwitch, children }: Props) {
  const { type, attachments, deliveryReason, deliveryStatus, reply } = message
  const isReceived = type === 'received'
  return (
    <article
      aria-label={`From ${getSenderName(message)}`}
      className={`scroll-my-3 rounded-card border border-line ${isReceived ? 'bg-surface' : 'bg-sunken/60'}`}
    >
      <MessageHeader message={message} isCollapsed={isCollapsed} onCollapse={onCollapse} />
      {!isCollapsed && (
        <div className="px-4 pb-4">
          {deliveryReason && <p className="mb-2 text-amber text-sm">{deliveryReason}</p>}
          <MessageBody message={message} isPlain={isPlain} onSwitch={onSwitch} />
          {reply && <ClassificationNotes reply={reply} />}
          {deliveryStatus === 'unconfirmed' && <UnconfirmedDelivery message={message} />}
          {deliveryStatus === 'queued' && type !== 'campaign' && <QueuedEmail message={message} />}
          {attachments && attachments.length > 0 && <MessageAttachments attachments={attachments} />}
          {children}
        </div>
      )}
    </article>
  )
}

/** Shows the sender, recipients and time of a message. A click expands or collapses it. */
function MessageHeader({
  message,
  isCollapsed,
  onCollapse,
}: Pick<Props, 'message' | 'isCollapsed' | 'onCollapse'>) {
  const name = getSenderName(message)
  const recipients = message.type !== 'received' && `to ${getRecipientNames(message)}`
  return (
    <header className="relative flex flex-wrap items-start justify-between gap-x-4 gap-y-1 px-4 py-2.5 text-sm">
      <p className={`min-w-0 ${isCollapsed ? 'flex-1 truncate' : 'break-words'}`}>
        <button
          type="button"
          aria-expanded={!isCollapsed}
          onClick={() => onCollapse(!isCollapsed)}
          className={`rounded-control font-medium ${isCollapsed ? 'after:absolute after:inset-0' : ''}`}
        >
          {name}
        </button>{' '}
        {isCollapsed ? (
          <span className="text-muted">{getOwnText(message).slice(0, PREVIEW_LENGTH)}</span>
        ) : (
          <>
            {recipients && <span className="text-muted">{recipients}</span>}
            <Copies recipients={message.recipients} />
          </>
        )}
      </p>
      <p className="flex items-center gap-2 text-muted">
        <IntentBadge message={message} />
        <MessageBadge message={message} />
        <ChannelMark channel="email" />
        <Time at={message.sentAt} />
      </p>
    </header>
  )
}
