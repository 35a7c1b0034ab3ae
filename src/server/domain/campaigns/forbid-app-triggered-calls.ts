import { type Context, isApplication } from '../../kernel/context.ts'
import { AppError } from '../../kernel/errors.ts'

/**
 * Throws Forbidden when an application would trigger calls through a campaign with call steps. Drafts are allowed: they
 * call nobody until a user launches them.
 */
export async function forbidAppTriggeredCalls(ctx: Context, campaignId: string): Promise<void> {
  if (!isApplication(ctx)) return
  const [calling] = await ctx.sql`
    select from campaigns c
     where account_id = ${ctx.accountId} and id = ${campaignId} and status <> 'draft'
       and exists (select from campaign_steps
                    where account_id = c.account_id and campaign_id = c.id and removed_at is null and channel = 'call')`
  if (calling) {
    throw new AppError(
      'Forbidden',
      'This campaign has call steps, and applications must not start calls. A user has to do this in the web app.',
    )
  }
}
