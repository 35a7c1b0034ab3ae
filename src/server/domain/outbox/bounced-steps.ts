import { currentAccount, type Fragment, type Sql } from '../../kernel/db/database.ts'
import type { BouncedStep } from '../prospects/resume-prospect.ts'

const isStep = (tx: Sql, prospectId: string): Fragment => tx`
  account_id = ${currentAccount(tx)} and prospect_id = ${prospectId} and step_id is not null`

/** Returns the bounced steps and those in flight, and locks their sends: before the prospect, as recording a result does. */
export const lockBouncedSteps = (tx: Sql, prospectId: string): Promise<BouncedStep[]> =>
  tx<BouncedStep[]>`
    select step_id as "stepId", recipient_emails as emails, state not in ('refused', 'failed') as "isDone",
           state in ('claimed', 'dot_pending') as "isInFlight"
      from email_sends
     where ${isStep(tx, prospectId)} and (hard_bounced_at is not null or state in ('claimed', 'dot_pending'))
     order by message_id
       for update`

/** Lets the bounced steps be sent once more: their sends still count for statistics, but not as received. */
export async function releaseBouncedSteps(tx: Sql, prospectId: string): Promise<void> {
  await tx`
    update email_sends set step_id = null, updated_at = now()
     where ${isStep(tx, prospectId)} and hard_bounced_at is not null`
}
