import type { Context } from '../../kernel/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { type HeldAddressReason, heldAddressReasons } from '../people/addresses/find-held-address.ts'
import { openStatuses } from './write-prospects.ts'

/** Returns the condition that a prospect failed because it lacks an email address or a value for a variable. */
const isIncomplete = (sql: Sql, r: Fragment): Fragment =>
  sql`(${r}.status = 'failed' and (${r}.status_reason like 'missing_variable:%' or ${r}.status_reason = 'no_email'))`

/** Returns the condition that a prospect is paused because of its email address. */
export const isHeldAddress = (
  sql: Sql,
  r: Fragment,
  reasons: readonly HeldAddressReason[] = heldAddressReasons,
): Fragment => sql`(${r}.status = 'paused' and ${r}.status_reason = any(${[...reasons]}::text[]))`

/**
 * Returns the condition that a prospect is incomplete or failed because of a template error, and so keeps its campaign
 * open.
 */
export const isRetryable = (sql: Sql, r: Fragment): Fragment =>
  sql`(${isIncomplete(sql, r)} or ${r}.status = 'failed' and ${r}.status_reason like 'template:%')`

/**
 * Returns the condition that the sequence of a prospect may continue, now or after someone resumes it or adds the
 * missing value.
 */
export const isUnfinished = (sql: Sql, r: Fragment): Fragment =>
  sql`(${r}.status in ${openStatuses(sql)} or ${r}.status = 'paused' or ${isRetryable(sql, r)})`

export const lockProspects = (sql: Sql, ids: readonly string[]) => sql`
  select from prospects
   where account_id = current_account_id() and id = any(${[...ids]}::uuid[])
   order by id
     for update`

/** Marks open prospects as failed, each with its reason. */
export const failIncomplete = (sql: Sql, prospects: readonly { id: string; reason: string }[]) => sql`
  update prospects r
     set status = 'failed', status_reason = f.reason, next_step_at = null, lease_until = null, updated_at = now()
    from jsonb_to_recordset(${sql.json([...prospects])}) f(id uuid, reason text)
   where r.account_id = current_account_id() and r.id = f.id and r.status in ${openStatuses(sql)}`

export async function countOpenProspects({ sql, accountId }: Context, campaignId: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from prospects
     where account_id = ${accountId} and campaign_id = ${campaignId} and status in ${openStatuses(sql)}`
  return row!.count
}

/** Makes incomplete prospects `r` that match the condition due again, because the missing value may now exist. */
const retryIncomplete = (ctx: Context, condition: Fragment) =>
  makeDueAgain(ctx, ctx.sql`${condition} and ${isIncomplete(ctx.sql, ctx.sql`r`)}`)

/** Retries incomplete prospects of a rep's campaigns, after the rep got a signature. */
export const retryIncompleteForRep = (ctx: Context, repId: string) =>
  retryIncomplete(
    ctx,
    ctx.sql`r.campaign_id in (select campaign_id from campaign_reps where account_id = ${ctx.accountId} and rep_id = ${repId})`,
  )

/**
 * Retries the prospects of a campaign that failed because of missing values or template errors, after its steps
 * changed.
 */
export const retryFailedRendering = (ctx: Context, campaignId: string) =>
  makeDueAgain(ctx, ctx.sql`r.campaign_id = ${campaignId} and ${isRetryable(ctx.sql, ctx.sql`r`)}`)

/** Resumes the prospects of a campaign that are paused because of a disposable or role address. */
export const releaseRiskyAddresses = (ctx: Context, campaignId: string) =>
  makeDueAgain(
    ctx,
    ctx.sql`r.campaign_id = ${campaignId}
            and ${isHeldAddress(ctx.sql, ctx.sql`r`, ['disposable_address', 'role_address'])}`,
  )

const makeDueAgain = ({ sql, accountId, app }: Context, condition: Fragment) => sql`
  update prospects r
     set status = case when r.rep_id is null then 'pending' else 'active' end, status_reason = null,
         next_step_at = ${app.now()}, updated_at = now()
   where r.account_id = ${accountId} and ${condition}`

/** Retries incomplete prospects of changed persons, and those paused because of their address. */
export async function retryIncompletePersons(ctx: Context, personIds: readonly string[]): Promise<void> {
  const { sql } = ctx
  const isAffected = sql`r.person_id = any(${[...personIds]}::uuid[])`
  await lockAndRetryIncomplete(ctx, isAffected)
  await makeDueAgain(ctx, sql`${isAffected} and ${isHeldAddress(sql, sql`r`)}`)
}

/** Retries incomplete prospects at changed companies. */
export const retryIncompleteAtCompanies = (ctx: Context, companyIds: readonly string[]): Promise<void> =>
  lockAndRetryIncomplete(
    ctx,
    ctx.sql`r.person_id in (select id from persons
                             where account_id = ${ctx.accountId} and company_id = any(${[...companyIds]}::uuid[]))`,
  )

/** Locks the prospects first, so that those the engine marks as failed at the same time are retried too. */
async function lockAndRetryIncomplete(ctx: Context, condition: Fragment): Promise<void> {
  const { sql, accountId } = ctx
  await sql`
    select from prospects r
     where r.account_id = ${accountId} and ${condition}
       and (r.status in ${openStatuses(sql)} or ${isIncomplete(sql, sql`r`)})
     order by r.id
       for update`
  await retryIncomplete(ctx, condition)
}
