import type { Output } from '../../../contract/index.ts'
import { useSession } from '../../api.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { formatNumber, Time } from '../../ui/time.tsx'
import { CancelSending } from './cancel-sending.tsx'
import { ClassificationNotes, IntentBadge } from './reply-classification.tsx'
import { UnconfirmedDelivery } from './unconfirmed-delivery.tsx'

export type Message = Output<'listEmailMessages'>['data'][number]

const getName = (contact: { name: string; email: string } | null | undefined): string =>
  contact?.name || contact?.email || 'Unknown contact'

/** Formats the recipients of a draft, or of a reply to this message. */
export const formatRecipients = ({ type, from, replyTo, recipients }: Message): string =>
  (type === 'received' ? (replyTo ?? (from ? [from] : [])) : recipients.to).map(formatAddress).join(', ')

/** Returns the other recipients of a message, as in `['Cc', 'Ada (ada@analytical.example)']`. */
const getCopies = ({ recipients: { cc, bcc } }: Message): [kind: string, to: string][] =>
  Object.entries({ Cc: cc ?? [], Bcc: bcc ?? [] })
    .filter(([, contacts]) => contacts.length > 0)
    .map(([kind, contacts]) => [kind, contacts.map(formatAddress).join(', ')])

const formatAddress = ({ name, email }: { name: string; email: string }): string =>
  name && name !== email ? `${name} (${email})` : email

/** Returns the sender of a received message, or the recipients of a sent one. */
export const getCorrespondent = ({ type, from, recipients }: Message): string =>
  type === 'received' ? getName(from) : `To ${recipients.to.map(getName).join(', ')}`

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
export function MessageBadge({ message }: { message: Message }) {
  const { type, status, receivedKind, deliveryStatus, deliveryReason, approvalRequest } = message
  const isAgentDraft = type === 'reply_agent' && status === 'draft'
  const draftKind = approvalRequest ? 'needs_approval' : isAgentDraft ? 'agent_draft' : ''
  const badge = badges[deliveryStatus ?? receivedKind ?? draftKind]
  if (!badge) return null
  return (
    <span title={deliveryReason ?? approvalRequest?.by}>
      <Badge tone={badge[1]}>{badge[0]}</Badge>
    </span>
  )
}

export const Copies = ({ message }: { message: Message }) =>
  getCopies(message).map(([kind, to]) => (
    <span key={kind} className="block text-muted">
      <span className="font-medium text-text">{kind}</span> {to}
    </span>
  ))

/** Text, with the sender's own formatting in a frame that can neither run nor load anything. */
export function MessageCard({ message }: { message: Message }) {
  const { type, from, sentAt, body, newText, attachments, deliveryReason, deliveryStatus, reply, hasHtml } =
    message
  const { account } = useSession()
  const isReceived = type === 'received'
  return (
    <article
      aria-label={`From ${getName(from)}`}
      className={`rounded-card border border-line p-4 ${isReceived ? 'bg-surface' : 'bg-sunken/60'}`}
    >
      <header className="mb-2 flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1 text-sm">
        <p className="min-w-0 break-words">
          <span className="font-medium">{getName(from)}</span>{' '}
          {!isReceived && (
            <span className="text-muted">{getCorrespondent(message).replace(/^To/, 'to')}</span>
          )}
          <Copies message={message} />
        </p>
        <p className="flex items-center gap-2 text-muted">
          <IntentBadge message={message} />
          <MessageBadge message={message} />
          <Time at={sentAt} />
        </p>
      </header>
      {deliveryReason && <p className="mb-2 text-amber text-sm">{deliveryReason}</p>}
      <p className="max-w-[72ch] whitespace-pre-wrap break-words">{newText ?? body}</p>
      {reply && <ClassificationNotes reply={reply} />}
      {newText !== undefined && newText.trim() !== body.trim() && (
        <details className="mt-3 text-sm">
          <summary className="cursor-pointer rounded-control text-muted hover:text-text">
            Full message
          </summary>
          <p className="mt-2 max-w-[72ch] whitespace-pre-wrap break-words text-muted">{body}</p>
        </details>
      )}
      {hasHtml && (
        <details className="mt-3 text-sm">
          <summary className="cursor-pointer rounded-control text-muted hover:text-text">
            Formatted message
          </summary>
          <iframe
            title={`Formatted message from ${getName(from)}`}
            src={`/v1/inbox/email/messages/${message.id}/html?accountId=${account?.id}`}
            sandbox="allow-popups allow-popups-to-escape-sandbox"
            loading="lazy"
            className="mt-2 h-96 w-full rounded-control border border-line bg-white"
          />
        </details>
      )}
      {deliveryStatus === 'unconfirmed' && <UnconfirmedDelivery message={message} />}
      {deliveryStatus === 'queued' && type !== 'campaign' && <CancelSending message={message} />}
      {attachments && attachments.length > 0 && (
        <ul aria-label="Attachments" className="mt-3 grid gap-1 text-muted text-sm">
          {attachments.map(({ id, name, size }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the order never changes, and names may repeat
            <li key={index} className="break-all">
              {id ? (
                <a
                  href={`/v1/inbox/email/attachments/${id}?accountId=${account?.id}`}
                  download
                  className="rounded-control text-accent underline-offset-2 hover:underline"
                >
                  {name}
                </a>
              ) : (
                name
              )}
              , {formatNumber(Math.ceil(size / 1024))} kB{!id && ' (not stored)'}
            </li>
          ))}
        </ul>
      )}
    </article>
  )
}
