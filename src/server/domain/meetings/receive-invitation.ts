import type { Sql } from '../../kernel/db/database.ts'
import type { Invitation } from '../../protocols/calendar/parse-invitation.ts'
import { canonicalEmail, getEmailDomain } from '../../protocols/identity/email.ts'
import { isOwnAddress } from '../mailboxes/own-addresses.ts'
import { bookMeeting } from './book-meeting.ts'
import { cancelSameMeeting, setCancelled, storeCancelled } from './cancel-meeting.ts'
import { findInvitee, selectInvitees } from './find-invitee.ts'

type Message = { messageId: string | undefined; now: Date }
type ChangedMeeting = { meetingId: string; reason: string }
type StoredMeeting = { id: string; personId: string; isNewer: boolean }

/**
 * Applies an invitation, or an answer to one: books or moves the meeting when the invitation is accepted, and cancels
 * the meeting when the invitation is declined or cancelled. Older messages about the same event change nothing.
 * `messageId` identifies the email with the invitation; undefined if that email is not in the inbox. Returns the
 * changed meeting.
 */
export async function receiveInvitation(
  tx: Sql,
  invitation: Invitation,
  { messageId, now }: Message,
): Promise<ChangedMeeting | undefined> {
  const change = await readChange(tx, invitation)
  if (!change) return undefined
  const existing = await lockMeeting(tx, invitation)
  if (existing) {
    // A cancelled event is cancelled for everybody.
    const affectsMeeting = invitation.method === 'cancel' || (await affectsInvitee(tx, existing, change))
    if (!existing.isNewer || !affectsMeeting) return undefined
    await recordMessage(tx, existing.id, invitation, messageId)
    if (change.type === 'cancelled') await setCancelled(tx, existing.id)
    else await rebook(tx, existing.id, invitation.startsAt)
    return { meetingId: existing.id, reason: `its calendar event is ${change.type}` }
  }
  if (invitation.startsAt < now) return undefined
  const message = { messageId, now }
  return change.type === 'booked'
    ? bookEvent(tx, invitation, change, message)
    : cancelUnknown(tx, invitation, change, message)
}

const toMeeting = ({ uid, startsAt }: Invitation) => ({ source: 'email', externalId: uid, startsAt }) as const

async function bookEvent(
  tx: Sql,
  invitation: Invitation,
  { emails }: Change,
  { messageId, now }: Message,
): Promise<ChangedMeeting | undefined> {
  const prospectId = await findInvitee(tx, emails)
  if (!prospectId) return undefined
  const booked = await bookMeeting(tx, { ...toMeeting(invitation), prospectId }, now)
  if (!booked) return undefined
  await recordMessage(tx, booked.id, invitation, messageId)
  return booked.isNew ? { meetingId: booked.id, reason: 'its calendar event is booked' } : undefined
}

/** Cancels a meeting that a user or another source recorded and that no earlier email mentioned. */
async function cancelUnknown(
  tx: Sql,
  invitation: Invitation,
  { emails }: Change,
  { messageId, now }: Message,
): Promise<ChangedMeeting | undefined> {
  const meeting = toMeeting(invitation)
  const same = await cancelSameMeeting(tx, { ...meeting, emails })
  if (!same) return undefined
  const { id, prospectId, isLinked } = same
  const storedId = isLinked ? id : await storeCancelled(tx, { ...meeting, prospectId }, now)
  if (storedId) await recordMessage(tx, storedId, invitation, messageId)
  return { meetingId: id, reason: 'its calendar event is cancelled' }
}

/** A change and the people whose meeting it changes. */
type Change = { type: 'booked' | 'cancelled'; emails: string[] }

const answers: Record<string, Change['type']> = { accepted: 'booked', declined: 'cancelled' }

/**
 * Returns the change that the message makes. A prospect books a meeting by inviting us or by accepting. The meeting is
 * also booked for people invited by a colleague, but not for those invited by a stranger.
 */
async function readChange(
  tx: Sql,
  { method, organizer, attendees }: Invitation,
): Promise<Change | undefined> {
  if (method === 'reply') {
    const [attendee] = attendees
    const type = attendee && answers[attendee.status]
    return type && { type, emails: [attendee.email] }
  }
  // An invitation that we sent doesn't contain the prospect's answer.
  if (method === 'request' && organizer && (await isOwnAddress(tx, organizer))) return undefined
  const domain = getDomain(organizer)
  const accepted = attendees.filter(
    ({ email, status }) => status === 'accepted' || getDomain(email) === domain,
  )
  return {
    type: method === 'cancel' ? 'cancelled' : 'booked',
    emails: [...(organizer ? [organizer] : []), ...accepted.map(({ email }) => email)],
  }
}

const getDomain = (address: string | undefined): string | undefined => {
  const email = canonicalEmail(address ?? '')
  return email && getEmailDomain(email)
}

async function lockMeeting(
  tx: Sql,
  { uid, sequence, stampedAt }: Invitation,
): Promise<StoredMeeting | undefined> {
  const [existing] = await tx<StoredMeeting[]>`
    select id, person_id as "personId", (coalesce(sequence, -1), coalesce(stamped_at, '-infinity')) < (${sequence}, ${stampedAt}::timestamptz) as "isNewer"
      from meetings
     where account_id = current_account_id() and source = 'email' and external_id = ${uid}
       for update`
  return existing
}

/**
 * Returns whether the change affects the meeting's person: an attendee who declines doesn't cancel another attendee's
 * meeting.
 */
async function affectsInvitee(tx: Sql, { personId }: StoredMeeting, { emails }: Change): Promise<boolean> {
  const persons = await tx<{ id: string }[]>`${selectInvitees(tx, emails)}`
  return persons.some(({ id }) => id === personId)
}

const recordMessage = (
  tx: Sql,
  id: string,
  { sequence, stampedAt }: Invitation,
  messageId: string | undefined,
) => tx`
  update meetings
     set sequence = ${sequence}, stamped_at = ${stampedAt}, email_message_id = coalesce(${messageId ?? null}, email_message_id),
         updated_at = now()
   where account_id = current_account_id() and id = ${id} and source = 'email'`

/** Books a meeting again at this time, unless the prospect has another meeting at the same time. */
const rebook = (tx: Sql, id: string, startsAt: Date) => tx`
  update meetings g
     set status = 'booked', starts_at = ${startsAt}, updated_at = now()
   where account_id = current_account_id() and id = ${id}
     and not exists (select from meetings o
                      where o.account_id = g.account_id and o.prospect_id = g.prospect_id and o.id <> g.id
                        and o.status = 'booked' and o.starts_at = ${startsAt})`
