import { type Context, isApplication } from '../../kernel/context.ts'
import { AppError } from '../../kernel/errors.ts'

/**
 * No application starts a call by itself, also not by way of a campaign whose steps call. A draft calls nobody until a
 * person launches it.
 */
export async function leaveCallsToPeople(ctx: Context, campaignId: string): Promise<void> {
  if (!isApplication(ctx)) return
  const [calling] = await ctx.sql`
    select from campaigns c
     where account_id = ${ctx.accountId} and id = ${campaignId} and status <> 'draft'
       and exists (select from campaign_steps
                    where account_id = c.account_id and campaign_id = c.id and removed_at is null and channel = 'call')`
  if (calling) {
    throw new AppError(
      'Forbidden',
      'This campaign calls people, and no application starts a call by itself. Ask a person to do this in the web app.',
    )
  }
}
