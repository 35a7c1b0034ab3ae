import { randomUUIDv7 } from 'node:crypto'
import type { Sql } from '../../kernel/db/database.ts'
import type { NewMeeting } from './book-meeting.ts'
import { selectInvitees } from './find-invitee.ts'

type ExternalMeeting = Pick<NewMeeting, 'source' | 'startsAt'> & { externalId: string }

export const setCancelled = (tx: Sql, meetingId: string) => tx`
  update meetings set status = 'cancelled', updated_at = now()
   where account_id = current_account_id() and id = ${meetingId}`

/**
 * Cancels a meeting that these people have at this time and that was recorded by a user or stored from another source.
 * A meeting that a user recorded is linked to the external ID, so that later events of the booking find it. Returns
 * undefined if there is no such meeting.
 */
export async function cancelSameMeeting(
  tx: Sql,
  { emails, source, externalId, startsAt }: ExternalMeeting & { emails: readonly string[] },
): Promise<{ id: string; prospectId: string; isLinked: boolean } | undefined> {
  const [cancelled] = await tx<{ id: string; prospectId: string; isLinked: boolean }[]>`
    update meetings g
       set status = 'cancelled', updated_at = now(), source = case when external_id is null then ${source} else source end,
           external_id = coalesce(external_id, ${externalId})
     where account_id = current_account_id()
       and id = (select id
                   from meetings
                  where account_id = current_account_id() and person_id in (${selectInvitees(tx, emails)})
                    and status = 'booked' and starts_at = ${startsAt} and (external_id is null or source <> ${source})
                  order by external_id nulls first
                  limit 1
                    for update)
    returning id, prospect_id as "prospectId", source = ${source} as "isLinked"`
  return cancelled
}

/**
 * Stores a cancelled meeting under an external ID, so that a booking event that arrives late doesn't book it. Returns
 * undefined if the external ID is already stored.
 */
export async function storeCancelled(
  tx: Sql,
  { prospectId, source, externalId, startsAt }: ExternalMeeting & { prospectId: string },
  now: Date,
): Promise<string | undefined> {
  const id = randomUUIDv7()
  const { count } = await tx`
    insert into meetings (account_id, id, prospect_id, person_id, campaign_id, rep_id, source, external_id, status,
                          starts_at, booked_at)
    select r.account_id, ${id}, r.id, r.person_id, r.campaign_id, r.rep_id, ${source}, ${externalId}, 'cancelled',
           ${startsAt}, ${now}
      from prospects r
     where r.account_id = current_account_id() and r.id = ${prospectId}
    on conflict do nothing`
  return count > 0 ? id : undefined
}
