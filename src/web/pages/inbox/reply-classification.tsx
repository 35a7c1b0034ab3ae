import { Badge, type Tone } from '../../ui/badge.tsx'
import { Time } from '../../ui/time.tsx'
import type { Message } from './message-card.tsx'

type Reading = NonNullable<Message['reply']>

const intents: Record<NonNullable<Reading['intent']>, [label: string, tone: Tone]> = {
  interested: ['interested', 'green'],
  question: ['question', 'blue'],
  objection: ['objection', 'amber'],
  not_now: ['not now', 'neutral'],
  wrong_person: ['wrong person', 'neutral'],
  opt_out: ['wants no more', 'amber'],
  auto: ['automatic', 'neutral'],
}

/** What a reply means, in a word. What the mail itself was taken for is marked already. */
export function IntentBadge({ message: { reply, receivedKind } }: { message: Message }) {
  if (!reply?.intent || (receivedKind && receivedKind !== 'reply')) return null
  const [label, tone] = intents[reply.intent]
  const by = reply.intentBy === 'model' ? 'Read by the reply agent' : 'Read by rules'
  return (
    <span title={by}>
      <Badge tone={tone}>{label}</Badge>
    </span>
  )
}

/** What follows from it: a day, a person, and where its draft is. */
export function ClassificationNotes({ reply }: { reply: Reading }) {
  const { notNowUntil, referral, draft } = reply
  const notes = [
    notNowUntil && `Ask again from ${notNowUntil} on.`,
    referral && `They name ${[referral.name, referral.email].filter(Boolean).join(', ')}.`,
    draft.state === 'pending' && 'The reply agent is writing a draft.',
    draft.state === 'failed' && `No draft could be written. ${draft.reason ?? ''}`,
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
