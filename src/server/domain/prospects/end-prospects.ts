import type { Context } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { isUnfinished, lockProspects } from './incomplete.ts'

/** Outbox functions needed to stop prospects. */
export type StopEffects = {
  withdrawQueuedSteps: (tx: Sql, prospectIds: readonly string[], now: Date) => Promise<void>
  countInFlight: (ctx: Context, recipients: { prospectIds: readonly string[] }) => Promise<number>
}

/**
 * Ends the given unfinished prospects permanently and returns their IDs. Triggers withdraw their tasks and calls; the
 * gate refuses emails that a worker has already claimed.
 */
export async function endProspects(
  { sql, accountId }: Pick<Context, 'sql' | 'accountId'>,
  ids: readonly string[],
  reason: 'manual' | 'moved' | 'company_replied',
): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    update prospects r
       set status = 'stopped', status_reason = ${reason}, next_step_at = null, lease_until = null, updated_at = now()
     where account_id = ${accountId} and ${isUnfinished(sql, sql`r`)}
       and id = any(array(select id
                            from prospects
                           where account_id = ${accountId} and id = any(${[...ids]}::uuid[])
                           order by id
                             for update))
    returning id`
  return rows.map(({ id }) => id)
}

/** Deletes the given prospects that no message, task, call or meeting refers to. Returns their IDs. */
export async function deleteUncontacted(
  { sql, accountId }: Context,
  ids: readonly string[],
): Promise<string[]> {
  await lockProspects(sql, ids)
  const rows = await sql<{ id: string }[]>`
    delete from prospects r
     where account_id = ${accountId} and id = any(${[...ids]}::uuid[])
       and not exists (select from email_threads where account_id = r.account_id and prospect_id = r.id)
       and not exists (select from email_messages where account_id = r.account_id and prospect_id = r.id)
       and not exists (select from email_sends where account_id = r.account_id and prospect_id = r.id)
       and not exists (select from linkedin_conversations where account_id = r.account_id and prospect_id = r.id)
       and not exists (select from linkedin_messages where account_id = r.account_id and prospect_id = r.id)
       and not exists (select from tasks where account_id = r.account_id and prospect_id = r.id)
       and not exists (select from calls where account_id = r.account_id and prospect_id = r.id)
       and not exists (select from call_requests where account_id = r.account_id and prospect_id = r.id)
       and not exists (select from meetings where account_id = r.account_id and prospect_id = r.id)
    returning id`
  return rows.map(({ id }) => id)
}
