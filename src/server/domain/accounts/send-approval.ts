import { getPublicUrl } from '../../kernel/config.ts'
import { type Context, isApplication, withAccount } from '../../kernel/context.ts'
import { AppError } from '../../kernel/errors.ts'

/** Returns whether the caller is an application in an account where a person approves what assistants send. */
export async function needsApproval(ctx: Context): Promise<boolean> {
  if (!isApplication(ctx)) return false
  const [account] = await ctx.sql<{ isApprovalRequired: boolean }[]>`
    select a.assistant_sends_need_approval as "isApprovalRequired"
      from ${withAccount(ctx)} join accounts a on a.id = s.account_id`
  return account?.isApprovalRequired ?? true
}

/**
 * Returns the error for an action that only a person may take in an account that requires approval. `action` completes
 * "you cannot …".
 */
export function approvalRequired({ app }: Context, action: string, campaignId?: string): AppError {
  const page = `${getPublicUrl(app.config)}${campaignId ? `/campaigns/${campaignId}` : ''}`
  return new AppError(
    'Forbidden',
    `In this account a person approves what assistants send, so you cannot ${action}. Ask the user to do it in the web app, at ${page}.`,
  )
}
