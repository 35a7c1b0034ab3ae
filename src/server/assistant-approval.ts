import type { Operation } from '../contract/operation.ts'
import { approvalRequired, needsApproval } from './domain/accounts/send-approval.ts'
import { lockCampaign } from './domain/campaigns/campaigns.ts'
import { requestComposedEmail } from './domain/inbox/compose-email.ts'
import { requestEmailApproval } from './domain/inbox/email-drafts.ts'
import { requestLinkedinApproval } from './domain/linkedin/send-draft.ts'
import { isEnrolled } from './domain/prospects/write-prospects.ts'
import type { Context } from './kernel/context.ts'

/** Operations with a variant that requests approval of the draft instead of sending it. */
const approvalRequests = {
  composeEmail: requestComposedEmail,
  sendEmailDraft: requestEmailApproval,
  sendLinkedinDraft: requestLinkedinApproval,
}

type Reach = NonNullable<Operation['reachesOutside']>
type Ids = { campaignId: string; taskId: string; personId?: string; companyId?: string }

/**
 * Returns the handler that requests a person's approval, if the account requires it for this call of the operation.
 * Throws Forbidden for operations that can't request one. Returns undefined when no approval is required.
 */
export async function findApprovalRequest(
  ctx: Context,
  name: string,
  { reachesOutside, summary }: Operation,
  input: object,
): Promise<((ctx: Context, input: never) => Promise<unknown>) | undefined> {
  if (!reachesOutside || !(await needsApproval(ctx))) return undefined
  if (!(await reachChecks[reachesOutside](ctx, input as Ids))) return undefined
  const request = approvalRequests[name as keyof typeof approvalRequests]
  if (request) return request
  throw approvalRequired(ctx, lowerFirst(summary), (input as Partial<Ids>).campaignId)
}

/** For each value of `reachesOutside`, checks whether this call can cause a message to be sent. */
const reachChecks: Record<Reach, (ctx: Context, ids: Ids) => Promise<boolean>> = {
  always: async () => true,
  // Locks the campaign, so that it isn't launched in the meantime.
  launched_campaign: async (ctx, { campaignId }) => (await lockCampaign(ctx, campaignId)).status !== 'draft',
  sequence_task: async ({ sql, accountId }, { taskId }) =>
    (await sql`select from tasks where account_id = ${accountId} and id = ${taskId} and step_id is not null`)
      .count > 0,
  enrolled_person: (ctx, { personId, companyId }) =>
    isEnrolled(ctx, personId ? { personIds: [personId] } : { companyIds: [companyId!] }),
}

const lowerFirst = (text: string): string => `${text[0]!.toLowerCase()}${text.slice(1)}`
