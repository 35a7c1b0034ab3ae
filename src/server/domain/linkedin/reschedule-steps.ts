import type { Context } from '../../kernel/context.ts'
import { expediteCalls } from '../calls/step-calls.ts'
import { resumeNewProspects } from '../campaigns/new-prospect-limit.ts'
import type { StepFilter } from '../campaigns/step-filter.ts'
import { rescheduleProspects } from '../prospects/reschedule.ts'
import { expediteLinkedinSends } from './sends.ts'

/** Applies a changed schedule or time zone to waiting prospects, and to their queued calls and LinkedIn messages. */
export async function rescheduleSteps(ctx: Context, filter: StepFilter): Promise<void> {
  await rescheduleProspects(ctx, filter)
  await expediteCalls(ctx.sql, filter, ctx.app.now())
  await expediteLinkedinSends(ctx.sql, filter, ctx.app.now())
}

/** Applies the account's changed time zone to the campaigns that have none of their own. */
export async function rescheduleAccount(ctx: Context): Promise<void> {
  for (const campaignId of await resumeNewProspects(ctx.sql)) await rescheduleSteps(ctx, { campaignId })
}
