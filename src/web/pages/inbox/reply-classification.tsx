import { replyIntents } from '../../components/reply-intents.ts'
import { Badge } from '../../ui/badge.tsx'
import { formatDay, Time } from '../../ui/time.tsx'
import type { Message } from './message.ts'

type Classification = NonNullable<Message['reply']>

/** Shows the intent of a reply. Renders nothing for messages that already have a badge for their kind. */
export function IntentBadge({ message: { reply, receivedKind } }: { message: Message }) {
  if (!reply?.intent || (receivedKind && receivedKind !== 'reply')) return null
  const [label, tone] = replyIntents[reply.intent]
  const by = reply.intentBy === 'model' ? 'Classified by the reply agent' : 'Classified by rules'
  return (
    <span title={by}>
      <Badge tone={tone}>{label}</Badge>
    </span>
  )
}

/** Shows notes on a reply: when to follow up, whom the sender refers you to, and the status of the draft. */
export function ClassificationNotes({ reply }: { reply: Classification }) {
  const { notNowUntil, referral, draft } = reply
  const notes = [
    notNowUntil && `Follow up on ${formatDay(notNowUntil)}.`,
    referral && `Refers you to ${[referral.name, referral.email].filter(Boolean).join(', ')}.`,
    draft.state === 'pending' && 'The reply agent is writing a draft.',
    draft.state === 'failed' && `The reply agent couldn’t write a draft. ${draft.reason ?? ''}`,
  ].filter(note => typeof note === 'string')
  if (notes.length === 0 && !draft.sendsAt) return null
  return (
    <p className="mt-2 break-words text-muted text-sm">
      {notes.join(' ')}
      {draft.sendsAt && (
        <>
          {' '}
          Autopilot sends the draft <Time at={draft.sendsAt} /> unless you edit or delete it.
        </>
      )}
    </p>
  )
}
