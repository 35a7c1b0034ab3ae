import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import { conflict } from '../../kernel/errors.ts'
import { findDomainWarnings } from '../domains/domain-warnings.ts'
import { checkTransition, setStatus } from './change-status.ts'
import { forbidAppTriggeredCalls } from './forbid-app-triggered-calls.ts'
import { findLaunchErrors } from './launch-errors.ts'
import type { LaunchEffects } from './prospect-effects.ts'

/**
 * Activates a draft. Prospects that lack a value for a variable in any step are reported and left out from the start,
 * so that nobody receives half a sequence; they are enrolled once the value is set. The campaign stays a draft if every
 * prospect is incomplete.
 */
export async function launchCampaign(
  ctx: Context,
  { campaignId, expectedRecipients }: Input<'launchCampaign'>,
  { rescheduleProspects, failIncompleteProspects, countOpenProspects, forecastFirstSend }: LaunchEffects,
): Promise<Output<'launchCampaign'>> {
  await checkTransition(ctx, campaignId, 'launched', ['draft'])
  await forbidAppTriggeredCalls(ctx, campaignId, { isLaunch: true })
  const { errors, warnings } = await findLaunchErrors(ctx, campaignId)
  if (errors[0]) throw conflict(`The campaign stays a draft: ${errors[0].message}`, errors)
  const { text } = await setStatus(ctx, campaignId, 'launch', 'active')
  if (await hasDelayedStart(ctx, campaignId)) await rescheduleProspects(ctx, { campaignId })
  const incomplete = await failIncompleteProspects(ctx, campaignId)
  const recipients = await countOpenProspects(ctx, campaignId)
  if (expectedRecipients !== undefined && recipients !== expectedRecipients) {
    throw conflict(
      `The campaign stays a draft: it would contact ${recipients} instead of ${expectedRecipients} prospects${describeIncomplete(incomplete)}. Check its prospects, then launch it with the current number.`,
    )
  }
  if (incomplete.total > 0 && recipients === 0) {
    throw conflict(
      `The campaign stays a draft: ${incomplete.total === 1 ? 'its prospect lacks a value for a variable' : `none of its ${incomplete.total} prospects has a value for every variable`} in its steps. Add the values, or fallbacks such as {{ company | default: "your company" }}.`,
      incomplete.prospects.map(({ prospectId, variables }) => ({
        path: `prospects.${prospectId}`,
        message: `has no ${variables.join(', ')}`,
      })),
    )
  }
  const firstSendAt = await forecastFirstSend(ctx, campaignId)
  const domainWarnings = await findDomainWarnings(ctx, campaignId)
  return {
    ...JSON.parse(text),
    recipients,
    ...(firstSendAt && { firstSendAt: firstSendAt.toISOString() }),
    ...(incomplete.total > 0 && { incomplete }),
    ...(warnings.length > 0 && { warnings }),
    ...(domainWarnings.length > 0 && { domainWarnings }),
  }
}

/** Describes why a launch contacts fewer people than the campaign has. */
function describeIncomplete({
  total,
  prospects,
}: Awaited<ReturnType<LaunchEffects['failIncompleteProspects']>>) {
  if (total === 0) return ''
  const variables = new Set(prospects.flatMap(({ variables }) => variables))
  return `; ${total === 1 ? '1 prospect lacks' : `${total} prospects lack`} a value for ${[...variables].join(' or ')}`
}

async function hasDelayedStart({ sql, accountId }: Context, campaignId: string): Promise<boolean> {
  const found = await sql`
    select from campaign_steps
     where account_id = ${accountId} and campaign_id = ${campaignId} and removed_at is null
       and position = 1 and delay_amount > 0`
  return found.count > 0
}
