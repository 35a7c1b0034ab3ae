import { randomUUIDv7 } from 'node:crypto'
import type { meetingSources } from '../../../contract/meetings.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { stopForReply } from '../outbox/stop-on-reply.ts'

export type NewMeeting = {
  prospectId: string
  startsAt: Date
  notes?: string | undefined
  source: (typeof meetingSources)[number]
  /** The booking's ID at the scheduling service, or the UID of the calendar event. */
  externalId?: string | undefined
}

/**
 * Stores a meeting and stops sequences, as a reply does. Changes nothing if a meeting with the same external ID, or
 * with the same prospect at the same time, is already stored. Returns undefined when there is no such prospect.
 */
export async function bookMeeting(
  tx: Sql,
  { prospectId, startsAt, notes, source, externalId }: NewMeeting,
  now: Date,
): Promise<{ id: string; isNew: boolean } | undefined> {
  const id = randomUUIDv7()
  // Takes no lock on the prospect here: recording a send locks the send before the prospect, so the opposite order
  // could deadlock.
  const { count } = await tx`
    insert into meetings (account_id, id, prospect_id, person_id, campaign_id, rep_id, source, external_id, starts_at,
                          booked_at, notes)
    select r.account_id, ${id}, r.id, r.person_id, r.campaign_id, r.rep_id, ${source}, ${externalId ?? null}, ${startsAt},
           ${now}, ${notes ?? null}
      from prospects r
     where r.account_id = current_account_id() and r.id = ${prospectId}
    on conflict do nothing`
  if (count > 0) {
    await stopForReply(tx, { prospectId, emails: [] }, 'meeting_booked', now)
    return { id, isNew: true }
  }
  const [existing] = await tx<{ id: string }[]>`
    select id from meetings
     where account_id = current_account_id()
       and (prospect_id = ${prospectId} and status = 'booked' and starts_at = ${startsAt}
            or source = ${source} and external_id = ${externalId ?? null})
     limit 1`
  if (!existing) return undefined
  if (externalId) await adoptMeeting(tx, existing.id, { source, externalId })
  return { id: existing.id, isNew: false }
}

/** Links a meeting that a user recorded to its booking, so that later events of the booking find the meeting. */
const adoptMeeting = (
  tx: Sql,
  id: string,
  { source, externalId }: Pick<NewMeeting, 'source' | 'externalId'>,
) => tx`
  update meetings set source = ${source}, external_id = ${externalId ?? null}, updated_at = now()
   where account_id = current_account_id() and id = ${id} and external_id is null`
