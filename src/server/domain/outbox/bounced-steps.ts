import { currentAccount, type Fragment, type Sql } from '../../kernel/db/database.ts'
import type { BouncedStep } from '../prospects/resume-prospects.ts'

const isStep = (tx: Sql, prospectIds: readonly string[]): Fragment => tx`
  account_id = ${currentAccount(tx)} and prospect_id = any(${[...prospectIds]}::uuid[]) and step_id is not null`

/** Returns the condition that the step of a send counts as done. Steps whose email the server rejected do not. */
const isDone = (sql: Sql): Fragment => sql`state not in ('refused', 'failed')`

/**
 * Locks and returns the sends of these prospects' steps that bounced or are in flight. Call it before locking the
 * prospects.
 */
export const lockBouncedSteps = (tx: Sql, prospectIds: readonly string[]): Promise<BouncedStep[]> =>
  tx<BouncedStep[]>`
    select prospect_id as "prospectId", step_id as "stepId", recipient_emails as emails, ${isDone(tx)} as "isDone",
           state in ('claimed', 'dot_pending') as "isInFlight"
      from email_sends
     where ${isStep(tx, prospectIds)} and (hard_bounced_at is not null or state in ('claimed', 'dot_pending'))
     order by message_id
       for update`

/** Selects how many steps of the prospect `r` count as done although their email bounced. */
export const bouncedStepCount = (sql: Sql): Fragment => sql`
  (select count(*)
     from email_sends
    where account_id = r.account_id and prospect_id = r.id and step_id is not null and ${isDone(sql)}
      and hard_bounced_at is not null)`

/** Allows the bounced steps to be sent once more: their sends remain in statistics, but no longer belong to a step. */
export async function releaseBouncedSteps(tx: Sql, prospectIds: readonly string[]): Promise<void> {
  await tx`
    update email_sends set step_id = null, updated_at = now()
     where ${isStep(tx, prospectIds)} and hard_bounced_at is not null`
}
