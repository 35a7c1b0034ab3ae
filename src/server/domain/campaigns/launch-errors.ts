import type { Context } from '../../kernel/context.ts'
import { conflict, type ErrorDetail } from '../../kernel/errors.ts'
import { findOptOutLinkErrors } from './opt-out-link-errors.ts'

const problemIf = (isMissing: boolean | undefined, path: string, message: string): ErrorDetail[] =>
  isMissing ? [{ path, message }] : []

type Requirements = Record<'step' | 'email' | 'rep' | 'mailbox' | 'postalAddress' | 'optOutLine', boolean> & {
  callsWithoutAssistant: number[]
  /** Positions of steps that still contain a placeholder of a sequence template. */
  unfinishedSteps: number[]
  /** Hosts of the mail servers that the campaign's working mailboxes send through. */
  mailServers: string[]
}

async function findRequirements(ctx: Context, campaignId: string): Promise<Requirements> {
  const [requirements] = await ctx.sql<Requirements[]>`
    select exists (select from campaign_steps
                    where account_id = a.id and campaign_id = ${campaignId} and removed_at is null) as step,
           exists (select from campaign_steps
                    where account_id = a.id and campaign_id = ${campaignId} and removed_at is null
                      and channel = 'email') as email,
           array(select position from campaign_steps
                  where account_id = a.id and campaign_id = ${campaignId} and removed_at is null
                    and channel = 'call' and assistant_id is null
                  order by position) as "callsWithoutAssistant",
           array(select distinct st.position
                   from campaign_steps st
                   join campaign_step_variants v on v.account_id = st.account_id and v.step_id = st.id
                                                and v.removed_at is null
                  where st.account_id = a.id and st.campaign_id = ${campaignId} and st.removed_at is null
                    and (v.body like '%[[%]]%' or v.subject like '%[[%]]%')
                  order by st.position) as "unfinishedSteps",
           exists (select from campaign_reps
                    where account_id = a.id and campaign_id = ${campaignId}) as rep,
           exists (select from campaign_reps k join mailboxes b on b.account_id = k.account_id and b.rep_id = k.rep_id
                    where k.account_id = a.id and k.campaign_id = ${campaignId}
                      and b.status = 'active' and b.paused_at is null and b.removed_at is null) as mailbox,
           array(select distinct b.smtp_host
                   from campaign_reps k join mailboxes b on b.account_id = k.account_id and b.rep_id = k.rep_id
                  where k.account_id = a.id and k.campaign_id = ${campaignId} and b.kind = 'smtp'
                    and b.status = 'active' and b.paused_at is null and b.removed_at is null) as "mailServers",
           a.postal_address is not null as "postalAddress",
           a.opt_out_line is not null as "optOutLine"
      from accounts a
     where a.id = ${ctx.accountId}`
  return requirements!
}

/** Returns the problems that prevent the launch of a campaign, each with its fix, and warnings. */
export async function findLaunchErrors(
  ctx: Context,
  campaignId: string,
): Promise<{ errors: ErrorDetail[]; warnings: ErrorDetail[] }> {
  const requirements = await findRequirements(ctx, campaignId)
  const link = requirements.email
    ? findOptOutLinkErrors(ctx.app.config, requirements.mailServers)
    : { errors: [], warnings: [] }
  const errors = [
    ...problemIf(!requirements.step, 'steps', 'it has no step. Add one.'),
    ...problemIf(!requirements.rep, 'repIds', 'it has no rep. Assign one.'),
    ...findUnfinishedSteps(requirements),
    ...requirements.callsWithoutAssistant.map(position => ({
      path: `steps.${position - 1}.call.assistantId`,
      message: `step ${position} has no assistant. Choose one.`,
    })),
    ...(requirements.email || !requirements.step ? findEmailErrors(requirements) : []),
    ...link.errors,
  ]
  return { errors, warnings: link.warnings }
}

/**
 * Throws Conflict when new steps of a launched campaign contain a placeholder of a sequence template, or when they
 * include its first email step and a requirement for email is missing.
 */
export async function checkLaunchedSteps(
  ctx: Context,
  campaignId: string,
  { hadEmail }: { hadEmail: boolean },
): Promise<void> {
  const requirements = await findRequirements(ctx, campaignId)
  const errors = [
    ...findUnfinishedSteps(requirements),
    // Steps of a campaign that already sends email can always be edited: without a postal address its emails are held.
    ...(requirements.email && !hadEmail ? findEmailErrors(requirements) : []),
  ]
  if (errors[0]) throw conflict(`The steps were not changed: ${errors[0].message}`, errors)
}

const findUnfinishedSteps = ({ unfinishedSteps }: Requirements): ErrorDetail[] =>
  unfinishedSteps.map(position => ({
    path: `steps.${position - 1}`,
    message: `step ${position} has text in double brackets, such as [[your product]]. Replace it with your own words.`,
  }))

/**
 * Finds missing requirements for email steps. The law requires the postal address and the opt-out line in emails, not
 * in tasks.
 */
const findEmailErrors = (
  requirements: Record<'rep' | 'mailbox' | 'postalAddress' | 'optOutLine', boolean>,
): ErrorDetail[] => [
  ...problemIf(
    requirements.rep && !requirements.mailbox,
    'repIds',
    'none of its reps has a working mailbox. Connect one, or verify or resume an existing one.',
  ),
  ...problemIf(
    !requirements.postalAddress,
    'account.postalAddress',
    'the account has no postal address. Set one: the law requires it in every campaign email.',
  ),
  ...problemIf(
    !requirements.optOutLine,
    'account.optOutLine',
    'the account has no opt-out line. Set the sentence that explains how to opt out.',
  ),
]
