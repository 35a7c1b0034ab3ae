import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { toBusinessDomain } from '../../protocols/identity/domain.ts'
import { selectPersonIds } from '../people/persons/person-aliases.ts'
import { isHeldAddress, isRetryable, isUnfinished } from './incomplete.ts'
import { openStatuses } from './write-prospects.ts'

/**
 * Returns the condition that a prospect's sequence will continue unless somebody pauses it: now, or once a missing
 * value is added or the email address is corrected.
 */
export const isPausable = (sql: Sql, r: Fragment): Fragment =>
  sql`(${r}.status in ${openStatuses(sql)} or ${isRetryable(sql, r)} or ${isHeldAddress(sql, r)})`

/** The people in a conversation, identified by a prospect, a person or email addresses. */
export type ConversationPeople = {
  prospectId: string | null
  personId?: string | null
  emails: readonly string[]
}

/**
 * Finds, in all campaigns, the prospects of these people that are open, that failed because of missing data or a
 * template error, or that are paused because of their address. Includes those of colleagues at the same company if the
 * account is set to stop them too.
 */
export async function findPausableProspects(
  tx: Sql,
  { prospectId, personId = null, emails }: ConversationPeople,
): Promise<string[]> {
  const people = await tx<{ id: string; email: string | null; replyPauses: 'person' | 'company_domain' }[]>`
    with addressed as (
      select person_id as id from prospects where account_id = current_account_id() and id = ${prospectId}
      union
      select ${personId}::uuid
      union
      (${selectPersonIds(tx, 'email', tx`${[...emails]}::text[]`)}))
    select p.id, p.email, a.reply_pauses as "replyPauses"
      from addressed
      join persons p on p.account_id = current_account_id() and p.id = addressed.id
      join accounts a on a.id = p.account_id`
  const withColleagues = people.some(({ replyPauses }) => replyPauses === 'company_domain')
  const domains = withColleagues ? people.flatMap(({ email }) => toBusinessDomain(email ?? '') ?? []) : []
  const rows = await tx<{ id: string }[]>`
    with affected as (
      select id from unnest(${people.map(({ id }) => id)}::uuid[]) person(id)
      union
      select p.id
        from unnest(${domains}::text[]) company(domain)
        join persons p on p.account_id = current_account_id()
                      and (p.domain_key = reverse(company.domain)
                           or p.domain_key >= reverse(company.domain) || '.' and p.domain_key < reverse(company.domain) || '/'))
    select r.id
      from affected
      join prospects r on r.account_id = current_account_id() and r.person_id = affected.id
     where ${isPausable(tx, tx`r`)}
     order by r.id`
  return rows.map(({ id }) => id)
}

/**
 * Pauses these prospects until a user resumes them, except those that have ended in the meantime, and returns the IDs
 * of those it paused. A prospect that had failed is due as soon as it is resumed. `endingId` is one of these prospects
 * whose sequence the caller ends instead: it is locked with the others, in the same order.
 */
export async function pausePausableProspects(
  tx: Sql,
  ids: readonly string[],
  reason: string,
  now: Date,
  endingId: string | null = null,
): Promise<string[]> {
  const rows = await tx<{ id: string }[]>`
    update prospects r
       set status = 'paused', status_reason = ${reason}, updated_at = now(),
           next_step_at = case when status = 'failed' then ${now} else next_step_at end
     where account_id = current_account_id() and ${isPausable(tx, tx`r`)} and id is distinct from ${endingId}
       and id = any(array(select id
                            from prospects
                           where account_id = current_account_id() and id = any(${[...ids]}::uuid[])
                           order by id
                             for update))
    returning id`
  return rows.map(({ id }) => id)
}

/**
 * Marks a prospect as replied, which ends its sequence. Returns its campaign; undefined if it had already replied or
 * opted out.
 */
export async function markReplied(tx: Sql, id: string, reason: string | null): Promise<string | undefined> {
  const [replied] = await tx<{ campaignId: string }[]>`
    update prospects
       set status = 'replied', status_reason = ${reason}, next_step_at = null, lease_until = null, updated_at = now()
     where account_id = current_account_id() and id = ${id} and status not in ('replied', 'opted_out')
    returning campaign_id as "campaignId"`
  return replied?.campaignId
}

/** Records that a prospect who replied may want to opt out. A user decides. */
export const markOptOutRequested = (tx: Sql, id: string) => tx`
  update prospects set status_reason = 'asks_to_unsubscribe', updated_at = now()
   where account_id = current_account_id() and id = ${id} and status = 'replied'`

/**
 * Marks all prospects of this prospect's person as away: their next steps are not due before `until`. Prospects that
 * are paused or lack a value keep their status, but the absence applies if they continue.
 */
export const markAway = (tx: Sql, prospectId: string, until: Date) => tx`
  update prospects r
     set status = case when status in ${openStatuses(tx)} then 'out_of_office' else status end,
         away_until = greatest(away_until, ${until}), updated_at = now(),
         -- Null while a step is in flight; away_until then delays the step after it.
         next_step_at = case when next_step_at is not null then greatest(next_step_at, ${until}) end
   where account_id = current_account_id() and ${isUnfinished(tx, tx`r`)}
     and id = any(array(select o.id
                          from prospects given
                          join prospects o on o.account_id = given.account_id and o.person_id = given.person_id
                         where given.account_id = current_account_id() and given.id = ${prospectId}
                         order by o.id
                           for update of o))`

/**
 * Makes the next steps of this person with this rep due now, so that they are checked for holds again. Voids claims on
 * the prospects, because a worker that is planning a step may already have checked it.
 */
export const expediteSteps = (
  tx: Sql,
  { repId, personId }: { repId: string; personId: string },
  now: Date,
) => tx`
  update prospects
     set next_step_at = least(next_step_at, ${now}), lease_until = null, lease_epoch = lease_epoch + 1
   where account_id = current_account_id() and person_id = ${personId} and rep_id = ${repId}
     and (status in ${openStatuses(tx)} or status = 'paused') and next_step_at is not null`
