import type { Sql } from '../../kernel/db/database.ts'
import { auditEngine } from '../accounts/audit-log.ts'
import { completeCampaign } from '../prospects/complete-campaign.ts'
import { endProspects } from '../prospects/end-prospects.ts'
import { isUnfinished } from '../prospects/incomplete.ts'
import { withdrawQueuedSteps } from './withdraw-queued.ts'

/**
 * Ends the unfinished prospects at the companies of the given prospects, in each of their campaigns that is configured
 * to stop when a colleague replies. Call it in the transaction that ends the given prospects. The gate refuses emails
 * that a worker has already claimed.
 */
export async function stopColleagues(tx: Sql, prospectIds: readonly string[], now: Date): Promise<void> {
  const colleagues = await findColleagues(tx, prospectIds)
  if (colleagues.length === 0) return
  const ids = colleagues.map(({ id }) => id)
  await withdrawQueuedSteps(tx, ids, now)
  const ended = await endProspects({ sql: tx, accountId: colleagues[0]!.accountId }, ids, 'company_replied')
  await auditEngine(tx, 'stop', 'prospect', ...ended)
  for (const campaignId of new Set(colleagues.map(each => each.campaignId)))
    await completeCampaign(tx, campaignId)
}

/**
 * Finds the unfinished prospects at the same companies and in the same campaigns, if the campaigns are configured to
 * stop when a colleague replies. People without a company, such as those with only a free-mail address, have no
 * colleagues.
 */
const findColleagues = (tx: Sql, prospectIds: readonly string[]) => tx<
  { accountId: string; id: string; campaignId: string }[]
>`
  select distinct o.account_id as "accountId", o.id, o.campaign_id as "campaignId"
    from prospects r
    join campaigns c on c.account_id = r.account_id and c.id = r.campaign_id and c.stop_company_on_reply
    join persons p on p.account_id = r.account_id and p.id = r.person_id
    join persons colleague on colleague.account_id = p.account_id and colleague.company_id = p.company_id
    join prospects o on o.account_id = r.account_id and o.campaign_id = r.campaign_id and o.person_id = colleague.id
   where r.account_id = current_account_id() and r.id = any(${[...prospectIds]}::uuid[])
     and o.id <> all(${[...prospectIds]}::uuid[]) and ${isUnfinished(tx, tx`o`)}
   order by o.id`
