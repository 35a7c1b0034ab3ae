import type { Context } from '../../kernel/context.ts'
import { forbidAppCampaigns } from '../campaigns/forbid-app-triggered-calls.ts'
import { openStatuses } from './write-prospects.ts'

type People = { personIds: readonly string[] } | { companyIds: readonly string[] }

/**
 * Throws Forbidden when an application would change a person whom a launched campaign may still call, or their company:
 * the new number would be dialed, and a value that was missing would let the sequence continue.
 */
export function forbidAppChangedCallees(ctx: Context, people: People): Promise<void> {
  const { sql, accountId } = ctx
  const condition =
    'personIds' in people
      ? sql`person_id = any(${[...people.personIds]}::uuid[])`
      : sql`person_id in (select id from persons
                           where account_id = ${accountId} and company_id = any(${[...people.companyIds]}::uuid[]))`
  return forbidAppCampaigns(
    ctx,
    sql`
      c.status <> 'draft' and c.id in (
        select campaign_id from prospects
         where account_id = ${accountId} and ${condition}
           and (status in ${openStatuses(sql)} or status in ('paused', 'failed')))`,
    'personIds' in people
      ? 'A person is in a campaign with call steps'
      : 'People at this company are in a campaign with call steps',
  )
}
