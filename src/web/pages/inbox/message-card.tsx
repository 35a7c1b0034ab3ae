import type { Output } from '../../../contract/index.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { formatNumber, Time } from '../../ui/time.tsx'
import { CancelSending } from './cancel-sending.tsx'
import { ClassificationNotes, IntentBadge } from './reply-classification.tsx'
import { UnconfirmedDelivery } from './unconfirmed-delivery.tsx'

export type Message = Output<'listEmailMessages'>['data'][number]

const nameOf = (contact: { name: string; email: string } | null | undefined): string =>
  contact?.name || contact?.email || 'Somebody'

/** Whom a draft goes to, or an answer to this message. */
export const formatRecipients = ({ type, from, replyTo, recipients }: Message): string =>
  (type === 'received' ? (replyTo ?? (from ? [from] : [])) : recipients.to).map(formatAddress).join(', ')

/** Returns who else gets a message, as `['Cc', 'Ada (ada@analytical.example)']`. */
const getCopies = ({ recipients: { cc, bcc } }: Message): [kind: string, to: string][] =>
  Object.entries({ Cc: cc ?? [], Bcc: bcc ?? [] })
    .filter(([, contacts]) => contacts.length > 0)
    .map(([kind, contacts]) => [kind, contacts.map(formatAddress).join(', ')])

const formatAddress = ({ name, email }: { name: string; email: string }): string =>
  name && name !== email ? `${name} (${email})` : email

/** Who writes to us, or whom we wrote to. */
export const getCorrespondent = ({ type, from, recipients }: Message): string =>
  type === 'received' ? nameOf(from) : `To ${recipients.to.map(nameOf).join(', ')}`

const marks: Record<string, [label: string, tone: Tone]> = {
  auto_reply: ['automatic', 'neutral'],
  unsubscribe: ['wants no more', 'amber'],
  queued: ['on its way', 'blue'],
  sending: ['on its way', 'blue'],
  unconfirmed: ['unconfirmed', 'amber'],
  failed: ['failed', 'red'],
  suppressed: ['Do Not Contact', 'amber'],
  bounced: ['bounced', 'red'],
  agent_draft: ['draft of the reply agent', 'accent'],
}

/** What is out of the ordinary about it. */
export function MessageBadge({ message }: { message: Message }) {
  const { type, status, receivedKind, deliveryStatus, deliveryReason } = message
  const isOfAgent = type === 'reply_agent' && status === 'draft'
  const mark = marks[deliveryStatus ?? receivedKind ?? (isOfAgent ? 'agent_draft' : '')]
  if (!mark) return null
  return (
    <span title={deliveryReason}>
      <Badge tone={mark[1]}>{mark[0]}</Badge>
    </span>
  )
}

export const Copies = ({ message }: { message: Message }) =>
  getCopies(message).map(([kind, to]) => (
    <span key={kind} className="block text-muted">
      <span className="font-medium text-text">{kind}</span> {to}
    </span>
  ))

/** As text alone, whatever it holds: what comes from outside is never run or fetched here. */
export function MessageCard({ message }: { message: Message }) {
  const { type, from, sentAt, body, newText, attachments, deliveryReason, deliveryStatus, reply } = message
  const isReceived = type === 'received'
  return (
    <article
      aria-label={`From ${nameOf(from)}`}
      className={`rounded-card border border-line p-4 ${isReceived ? 'bg-surface' : 'bg-sunken/60'}`}
    >
      <header className="mb-2 flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1 text-sm">
        <p className="min-w-0 break-words">
          <span className="font-medium">{nameOf(from)}</span>{' '}
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
          <summary className="cursor-pointer rounded-control text-muted hover:text-text">Whole mail</summary>
          <p className="mt-2 max-w-[72ch] whitespace-pre-wrap break-words text-muted">{body}</p>
        </details>
      )}
      {deliveryStatus === 'unconfirmed' && <UnconfirmedDelivery message={message} />}
      {deliveryStatus === 'queued' && type !== 'campaign' && <CancelSending message={message} />}
      {attachments && attachments.length > 0 && (
        <ul aria-label="Attachments" className="mt-3 grid gap-1 text-muted text-sm">
          {attachments.map(({ name, size }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: they never change, and names may be the same
            <li key={at} className="break-all">
              {name}, {formatNumber(Math.ceil(size / 1024))} kB (not kept)
            </li>
          ))}
        </ul>
      )}
    </article>
  )
}
