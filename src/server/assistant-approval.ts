import type { Operation } from '../contract/operation.ts'
import { lockCampaign } from './domain/campaigns/campaigns.ts'
import { requestComposedEmail } from './domain/inbox/compose-email.ts'
import { requestEmailApproval } from './domain/inbox/email-drafts.ts'
import { requestLinkedinApproval } from './domain/linkedin/send-draft.ts'
import { isEnrolled } from './domain/prospects/write-prospects.ts'
import { getPublicUrl } from './kernel/config.ts'
import { type Context, isApplication, withAccount } from './kernel/context.ts'
import { AppError } from './kernel/errors.ts'

/** Operations with a variant that requests approval of the draft instead of sending it. */
const requests = {
  composeEmail: requestComposedEmail,
  sendEmailDraft: requestEmailApproval,
  sendLinkedinDraft: requestLinkedinApproval,
}

type Reach = NonNullable<Operation['reachesOutside']>
type Ids = { campaignId: string; taskId: string; personId?: string; companyId?: string }

/**
 * Returns the handler that requests a person's approval, when the account requires it for what this assistant is about
 * to do. Throws Forbidden for operations that can't request one. Returns undefined when no approval is required.
 */
export async function findApprovalRequest(
  ctx: Context,
  name: string,
  { reachesOutside, summary }: Operation,
  input: object,
): Promise<((ctx: Context, input: never) => Promise<unknown>) | undefined> {
  if (!reachesOutside || !isApplication(ctx) || !(await isApprovalRequired(ctx))) return undefined
  if (!(await reaches[reachesOutside](ctx, input as Ids))) return undefined
  const request = requests[name as keyof typeof requests]
  if (request) return request
  const { campaignId } = input as Partial<Ids>
  const page = `${getPublicUrl(ctx.app.config)}${campaignId ? `/campaigns/${campaignId}` : ''}`
  throw new AppError(
    'Forbidden',
    `In this account a person approves what assistants send, so you cannot ${lowerFirst(summary)}. Ask the user to do it in the web app, at ${page}.`,
  )
}

async function isApprovalRequired(ctx: Context): Promise<boolean> {
  const [account] = await ctx.sql<{ isApprovalRequired: boolean }[]>`
    select a.assistant_sends_need_approval as "isApprovalRequired"
      from ${withAccount(ctx)} join accounts a on a.id = s.account_id`
  return account?.isApprovalRequired ?? true
}

const reaches: Record<Reach, (ctx: Context, ids: Ids) => Promise<boolean>> = {
  always: async () => true,
  // Locked, so that it isn't launched in the meantime.
  launched_campaign: async (ctx, { campaignId }) => (await lockCampaign(ctx, campaignId)).status !== 'draft',
  sequence_task: async ({ sql, accountId }, { taskId }) =>
    (await sql`select from tasks where account_id = ${accountId} and id = ${taskId} and step_id is not null`)
      .count > 0,
  enrolled_person: isEnrolled,
}

const lowerFirst = (text: string): string => `${text[0]!.toLowerCase()}${text.slice(1)}`
