import { currentAccount, type Fragment, type Sql } from '../../kernel/db/database.ts'
import type { BouncedStep } from '../prospects/resume-prospect.ts'

const isBouncedStep = (tx: Sql, prospectId: string): Fragment => tx`
  account_id = ${currentAccount(tx)} and prospect_id = ${prospectId} and step_id is not null and hard_bounced_at is not null`

/** Returns the bounced steps and locks their sends: before the prospect, as recording a result does. */
export const lockBouncedSteps = (tx: Sql, prospectId: string): Promise<BouncedStep[]> =>
  tx<BouncedStep[]>`
    select step_id as "stepId", recipient_emails as emails, state not in ('refused', 'failed') as "isDone"
      from email_sends
     where ${isBouncedStep(tx, prospectId)}
     order by message_id
       for update`

/** Lets the bounced steps be sent once more: their sends still count for statistics, but not as received. */
export async function releaseBouncedSteps(tx: Sql, prospectId: string): Promise<void> {
  await tx`
    update email_sends set step_id = null, updated_at = now()
     where ${isBouncedStep(tx, prospectId)}`
}
