import type { App } from '../../kernel/context.ts'
import { currentAccount, type Sql } from '../../kernel/db/database.ts'
import { type Clock, clockColumns } from '../prospects/due-time.ts'
import { findHold, type Hold } from '../prospects/hold.ts'
import { inboxSyncedAt, isInboxStale } from '../prospects/inbox-freshness.ts'

/** Returns why the task’s campaign step is on hold at the time of sending; undefined when it isn’t. */
export async function findStepHold(app: App, tx: Sql, taskId: string, now: Date): Promise<Hold | undefined> {
  const [facts] = await tx<
    (Clock & { prospectStatus: string; campaignStatus: string; inboxSyncedAt: Date | null })[]
  >`
    select r.status as "prospectStatus", c.status as "campaignStatus", ${clockColumns(tx)},
           ${inboxSyncedAt(tx)} as "inboxSyncedAt"
      from tasks t
      join prospects r on r.account_id = t.account_id and r.id = t.prospect_id
      join campaigns c on c.account_id = t.account_id and c.id = t.campaign_id
      join persons p on p.account_id = t.account_id and p.id = t.person_id
      join accounts a on a.id = t.account_id
     where t.account_id = ${currentAccount(tx)} and t.id = ${taskId} and t.step_id is not null`
  return (
    facts &&
    findHold(
      {
        ...facts,
        isInboxStale: isInboxStale(app, facts.inboxSyncedAt),
        // The caller checks the account's pause.
        isSendingPaused: false,
        task: { hasRep: true, acceptanceUntil: undefined },
        // The step's delay is over, and planning has applied the new-prospect limit.
        ...{ wait: undefined, mailboxId: undefined, newProspectLimit: undefined, quota: undefined },
      },
      now,
    )
  )
}
