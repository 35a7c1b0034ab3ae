import type { Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import { findLaunchErrors } from '../campaigns/launch-errors.ts'
import { findDomainWarnings } from '../domains/domain-warnings.ts'
import { countOpenProspects } from '../prospects/incomplete.ts'
import { openStatuses } from '../prospects/write-prospects.ts'
import type { NamedIncomplete } from '../rendering/fail-incomplete-prospects.ts'

type LaunchPreview = NonNullable<Output<'forecastCampaign'>['launch']>

/** Returns what `launchCampaign` would do with a draft now. Changes nothing. */
export async function previewLaunch(
  ctx: Context,
  campaignId: string,
  { ids: { length: total }, prospects }: NamedIncomplete,
): Promise<LaunchPreview> {
  const openCount = await countOpenProspects(ctx, campaignId)
  return {
    recipients: openCount - total,
    ...(await findLaunchErrors(ctx, campaignId)),
    ...(total > 0 && { incomplete: { total, prospects } }),
    withoutEmail: await countWithoutEmail(ctx, campaignId),
    leftOut: await countLeftOut(ctx, campaignId),
    domainWarnings: await findDomainWarnings(ctx, campaignId),
  }
}

/** Counts the open prospects whose person lacks the address that an email step needs. */
async function countWithoutEmail({ sql, accountId }: Context, campaignId: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count
      from prospects r
      join persons p on p.account_id = r.account_id and p.id = r.person_id and p.email is null
     where r.account_id = ${accountId} and r.campaign_id = ${campaignId} and r.status in ${openStatuses(sql)}
       and exists (select from campaign_steps
                    where account_id = r.account_id and campaign_id = r.campaign_id and removed_at is null
                      and channel = 'email')`
  return row!.count
}

async function countLeftOut(
  { sql, accountId }: Context,
  campaignId: string,
): Promise<LaunchPreview['leftOut']> {
  const rows = await sql<
    { status: LaunchPreview['leftOut'][number]['status']; reason: string | null; count: number }[]
  >`
    select status, status_reason as reason, count(*)::int as count
      from prospects
     where account_id = ${accountId} and campaign_id = ${campaignId} and status not in ${openStatuses(sql)}
     group by 1, 2
     order by 3 desc, 1, 2
     limit 100`
  return rows.map(({ reason, ...row }) => ({ ...row, ...(reason && { reason }) }))
}
