import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { jsonObject, uuid } from '../../kernel/db/json-object.ts'
import { findJson, type Json } from '../../kernel/json.ts'
import { afterCursor, listPage, orderAndLimit } from '../../kernel/page.ts'
import { prospectFields } from './prospect-json.ts'

/**
 * Lists the prospects of a campaign. Selects the page's prospects before joining their persons, so that no other
 * persons are read.
 */
export async function listCampaignProspects(
  ctx: Context,
  input: Input<'listCampaignProspects'>,
): Promise<Json<Output<'listCampaignProspects'>>> {
  const { sql } = ctx
  const { campaignId } = input
  await findJson(
    ctx,
    'campaign',
    sql`
    select null as json from campaigns c where c.account_id = s.account_id and c.id = ${campaignId}`,
  )
  return listPage(
    ctx,
    'listCampaignProspects',
    input,
    page => sql`
      select r.id, api_time(r.created_at) as at,
             ${jsonObject({
               ...prospectFields(sql),
               person: {
                 id: uuid('p.id'),
                 firstName: sql`p.first_name`,
                 lastName: sql`p.last_name`,
                 email: sql`p.email`,
                 title: sql`p.title`,
                 company: sql`o.name`,
                 timezone: sql`p.timezone`,
               },
               emailThreadId: uuid('t.id'),
             })} as json
        from (select r.* from prospects r
               where r.account_id = s.account_id
                 and r.campaign_id = (select ${page.filters.campaignId}::uuid)
                 ${hasStatus(sql, page.filters.status)}
                 ${afterCursor(sql, page, 'r.created_at', 'r.id')}
                 ${orderAndLimit(sql, page, 'r.created_at', 'r.id')}) r
       cross join lateral (select * from persons where account_id = r.account_id and id = r.person_id limit 1) p
        left join lateral (select name from companies where account_id = r.account_id and id = p.company_id limit 1) o
               on true
        left join lateral (select id from email_threads where account_id = r.account_id and prospect_id = r.id
                            order by created_at desc limit 1) t on true
       ${orderAndLimit(sql, page, 'r.created_at', 'r.id')}`,
  )
}

/** Returns a condition with the status as a literal, so that the planner doesn't scan by time for a rare status. */
const hasStatus = (sql: Sql, status: Input<'listCampaignProspects'>['status']): Fragment =>
  status ? sql`and r.status = ${sql.unsafe(`'${status}'`)}` : sql``
