import { z } from 'zod'
import { type App, inAccount } from '../../kernel/context.ts'
import { retryOnDeadlock, type Sql } from '../../kernel/db/database.ts'
import { invalid, invalidAll, notFound, unauthorized } from '../../kernel/errors.ts'
import { bookMeeting } from './book-meeting.ts'
import { cancelSameMeeting, setCancelled, storeCancelled } from './cancel-meeting.ts'
import { findInvitee } from './find-invitee.ts'
import { findSigningSecret, type MeetingProvider, recordReceipt } from './meeting-webhooks.ts'
import { hasValidSignature, type MeetingEvent, parseMeetingEvent } from './parse-event.ts'

type InboundRequest = {
  accountId: string
  /** The provider. */
  id: string
  headers: Record<string, string | string[] | undefined>
  body: Buffer
}

type Result = { outcome: 'stored' | 'duplicate' | 'ignored'; reason?: string; meetingId?: string }

/** Receives an event from Cal.com or Calendly. Idempotent. */
export async function receiveMeetingEvent(app: App, request: InboundRequest): Promise<Result> {
  const provider = request.id as MeetingProvider
  const { accountId, headers, body } = request
  const now = app.now()
  const secret = await inAccount(app.db.app, accountId, tx =>
    findSigningSecret(tx, app.keys, { accountId, provider }),
  )
  if (secret === undefined) throw notFound('meeting webhook URL')
  if (!hasValidSignature(provider, { headers, body, secret, now }))
    throw unauthorized('The signature does not match the body and secret, or is older than five minutes.')
  const event = parse(provider, body, now)
  return retryOnDeadlock(() =>
    inAccount(app.db.app, accountId, async tx => {
      await recordReceipt(tx, provider, now)
      return 'ignored' in event
        ? { outcome: 'ignored', reason: event.ignored }
        : apply(tx, provider, event, now)
    }),
  )
}

function parse(provider: MeetingProvider, body: Buffer, now: Date): ReturnType<typeof parseMeetingEvent> {
  try {
    return parseMeetingEvent(provider, JSON.parse(body.toString('utf8')), now)
  } catch (error) {
    if (error instanceof SyntaxError) throw invalid('', 'The body must be JSON.')
    if (!(error instanceof z.ZodError)) throw error
    throw invalidAll(
      error.issues.map(({ path, message }) => ({ path: path.join('.'), message })).slice(0, 20),
    )
  }
}

type StoredMeeting = { id: string; status: 'booked' | 'cancelled' }

async function apply(tx: Sql, provider: MeetingProvider, event: MeetingEvent, now: Date): Promise<Result> {
  const { type, externalId, previousId, startsAt } = event
  const existing = await lockMeeting(tx, provider, externalId)
  if (existing)
    return type === 'cancelled'
      ? cancelStored(tx, existing)
      : { outcome: 'duplicate', meetingId: existing.id }
  const previous = type === 'booked' && previousId && (await lockMeeting(tx, provider, previousId))
  if (previous && previous.status === 'booked') {
    await moveMeeting(tx, previous.id, externalId, startsAt)
    return { outcome: 'stored', meetingId: previous.id }
  }
  const prospectId = await findInvitee(tx, event.emails)
  if (!prospectId) return { outcome: 'ignored', reason: 'no prospect has the email address of the invitee' }
  if (type === 'cancelled') return cancelUnknown(tx, provider, { ...event, prospectId }, now)
  const booked = await bookMeeting(tx, { prospectId, startsAt, source: provider, externalId }, now)
  if (!booked) return { outcome: 'ignored', reason: 'the prospect no longer exists' }
  return { outcome: booked.isNew ? 'stored' : 'duplicate', meetingId: booked.id }
}

async function cancelStored(tx: Sql, { id, status }: StoredMeeting): Promise<Result> {
  if (status === 'cancelled') return { outcome: 'duplicate', meetingId: id }
  await setCancelled(tx, id)
  return { outcome: 'stored', meetingId: id }
}

/** Cancels a booking that has not been reported yet; a user or another source may have recorded its meeting. */
async function cancelUnknown(
  tx: Sql,
  source: MeetingProvider,
  event: MeetingEvent & { prospectId: string },
  now: Date,
): Promise<Result> {
  const same = await cancelSameMeeting(tx, { ...event, source })
  if (same?.isLinked) return { outcome: 'stored', meetingId: same.id }
  const prospectId = same?.prospectId ?? event.prospectId
  const id = await storeCancelled(tx, { ...event, source, prospectId }, now)
  if (id) return { outcome: 'stored', meetingId: same?.id ?? id }
  // A concurrent transaction has stored the booking.
  const existing = await lockMeeting(tx, source, event.externalId)
  return existing
    ? cancelStored(tx, existing)
    : { outcome: 'ignored', reason: 'the prospect no longer exists' }
}

async function lockMeeting(
  tx: Sql,
  source: MeetingProvider,
  externalId: string,
): Promise<StoredMeeting | undefined> {
  const [existing] = await tx<StoredMeeting[]>`
    select id, status from meetings
     where account_id = current_account_id() and source = ${source} and external_id = ${externalId}
       for update`
  return existing
}

/** Moves a meeting, but keeps its time if the prospect has another meeting at the new time. */
const moveMeeting = (tx: Sql, id: string, externalId: string, startsAt: Date) => tx`
  update meetings g
     set external_id = ${externalId}, updated_at = now(),
         starts_at = case when exists (select from meetings o
                                        where o.account_id = g.account_id and o.prospect_id = g.prospect_id
                                          and o.status = 'booked' and o.starts_at = ${startsAt})
                          then starts_at else ${startsAt} end
   where account_id = current_account_id() and id = ${id}`
