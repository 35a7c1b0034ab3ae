import { type Context, isApplication } from '../../kernel/context.ts'
import type { Fragment } from '../../kernel/db/database.ts'
import { AppError } from '../../kernel/errors.ts'

const hasCallStep = (ctx: Context): Fragment => ctx.sql`
  exists (select from campaign_steps
           where account_id = c.account_id and campaign_id = c.id and removed_at is null and channel = 'call')`

/**
 * Throws Forbidden when an application would trigger calls through a campaign with call steps. An application may
 * change drafts, which call nobody yet, but not launch them.
 */
export const forbidAppTriggeredCalls = (
  ctx: Context,
  campaignId: string,
  { isLaunch = false } = {},
): Promise<void> =>
  forbidAppCampaigns(
    ctx,
    ctx.sql`c.id = ${campaignId} and (${isLaunch} or c.status <> 'draft')`,
    'This campaign has call steps',
  )

/** Throws Forbidden for an application when one of these campaigns `c` has call steps. */
export async function forbidAppCampaigns(ctx: Context, condition: Fragment, reason: string): Promise<void> {
  if (!isApplication(ctx)) return
  const calling = await ctx.sql`
    select from campaigns c where c.account_id = ${ctx.accountId} and ${condition} and ${hasCallStep(ctx)} limit 1`
  if (calling.count > 0) throw forbidden(reason)
}

/** Throws Forbidden when an application would resume the queued calls of the account or the calls of its campaigns. */
export async function forbidAppResumedCalls(ctx: Context): Promise<void> {
  if (!isApplication(ctx)) return
  const calling = await ctx.sql`
    select from campaigns c where account_id = ${ctx.accountId} and status = 'active' and ${hasCallStep(ctx)}
     union all
    select from calls where account_id = ${ctx.accountId} and status = 'queued'
     limit 1`
  if (calling.count > 0) throw forbidden('The account has queued calls, or active campaigns with call steps')
}

const forbidden = (reason: string): AppError =>
  new AppError(
    'Forbidden',
    `${reason}, and applications must not start calls. A user has to do this in the web app.`,
  )
