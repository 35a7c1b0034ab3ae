import type { App } from '../../kernel/context.ts'
import { currentAccount, type Sql } from '../../kernel/db/database.ts'
import { clockColumns } from '../prospects/due-time.ts'
import type { Hold } from '../prospects/hold.ts'
import { inboxSyncedAt } from '../prospects/inbox-freshness.ts'
import { findPlannedHold, type PlannedStepFacts } from '../prospects/planned-hold.ts'

/** Returns why the task’s campaign step is on hold at the time of sending; undefined when it isn’t. */
export async function findStepHold(app: App, tx: Sql, taskId: string, now: Date): Promise<Hold | undefined> {
  const [facts] = await tx<PlannedStepFacts[]>`
    select r.status as "prospectStatus", c.status as "campaignStatus", ${clockColumns(tx)},
           ${inboxSyncedAt(tx)} as "inboxSyncedAt"
      from tasks t
      join prospects r on r.account_id = t.account_id and r.id = t.prospect_id
      join campaigns c on c.account_id = t.account_id and c.id = t.campaign_id
      join persons p on p.account_id = t.account_id and p.id = t.person_id
      join accounts a on a.id = t.account_id
     where t.account_id = ${currentAccount(tx)} and t.id = ${taskId} and t.step_id is not null`
  return facts && findPlannedHold(app, facts, now)
}
