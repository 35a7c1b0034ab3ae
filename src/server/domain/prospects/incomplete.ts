import type { Context } from '../../kernel/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { isOpen } from './write-prospects.ts'

/** One that lacks a value which a step names, or an address: ended for now. */
const isIncomplete = (sql: Sql, r: Fragment): Fragment =>
  sql`(${r}.status = 'failed' and (${r}.status_reason like 'missing_variable:%' or ${r}.status_reason = 'no_email'))`

/** The same, or one for whom a template was at fault: its campaign stays open for it, and who is in touch finds it. */
export const mayComeBack = (sql: Sql, r: Fragment): Fragment =>
  sql`(${isIncomplete(sql, r)} or ${r}.status = 'failed' and ${r}.status_reason like 'template:%')`

export const lockProspects = (sql: Sql, ids: readonly string[]) => sql`
  select from prospects
   where account_id = current_account_id() and id = any(${[...ids]}::uuid[])
   order by id
     for update`

/** Ends these, each for what it lacks. */
export const failIncomplete = (sql: Sql, prospects: readonly { id: string; reason: string }[]) => sql`
  update prospects r
     set status = 'failed', status_reason = f.reason, next_step_at = null, lease_until = null, updated_at = now()
    from jsonb_to_recordset(${sql.json([...prospects])}) f(id uuid, reason text)
   where r.account_id = current_account_id() and r.id = f.id and r.status in ${isOpen(sql)}`

export async function hasOpenProspects({ sql, accountId }: Context, campaignId: string): Promise<boolean> {
  const found = await sql`
    select from prospects
     where account_id = ${accountId} and campaign_id = ${campaignId} and status in ${isOpen(sql)}
     limit 1`
  return found.count > 0
}

/** Those among these prospects `r` that lacked a value are due again, for now there may be one. */
const retryIncomplete = (ctx: Context, which: Fragment) =>
  makeDueAgain(ctx, ctx.sql`${which} and ${isIncomplete(ctx.sql, ctx.sql`r`)}`)

/** The same for the campaigns of a rep who now has a signature. */
export const retryIncompleteOfRep = (ctx: Context, repId: string) =>
  retryIncomplete(
    ctx,
    ctx.sql`r.campaign_id in (select campaign_id from campaign_reps where account_id = ${ctx.accountId} and rep_id = ${repId})`,
  )

/** Those of a campaign with new steps, also those for whom a template was at fault. */
export const retryUnwritten = (ctx: Context, campaignId: string) =>
  makeDueAgain(ctx, ctx.sql`r.campaign_id = ${campaignId} and ${mayComeBack(ctx.sql, ctx.sql`r`)}`)

const makeDueAgain = ({ sql, accountId, app }: Context, which: Fragment) => sql`
  update prospects r
     set status = case when r.rep_id is null then 'pending' else 'active' end, status_reason = null,
         next_step_at = ${app.now()}, updated_at = now()
   where r.account_id = ${accountId} and ${which}`

/** The same for people that were just changed. Locked first: one that the engine is about to end is waited for. */
export async function retryIncompletePersons(ctx: Context, personIds: readonly string[]): Promise<void> {
  const { sql, accountId } = ctx
  await sql`
    select from prospects r
     where r.account_id = ${accountId} and r.person_id = any(${[...personIds]}::uuid[])
       and (r.status in ${isOpen(sql)} or ${isIncomplete(sql, sql`r`)})
     order by r.id
       for update`
  await retryIncomplete(ctx, sql`r.person_id = any(${[...personIds]}::uuid[])`)
}
