import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import { findJson, type Json } from '../../kernel/json.ts'

const DAY_MS = 86_400_000
const MAX_SOURCES = 100
const MAX_REPORTERS = 50
const MAX_DOMAINS = 10

/** Summarizes the DMARC reports on a domain from the last `days` days. Sources with the most failures come first. */
export function getDmarcResults(
  ctx: Context,
  { domainId, days }: Input<'getDmarcResults'>,
): Promise<Json<Output<'getDmarcResults'>>> {
  const { sql, app } = ctx
  const since = new Date(app.now().getTime() - days * DAY_MS)
  return findJson(
    ctx,
    'domain',
    sql`
      with domain as (select * from domains where account_id = s.account_id and id = ${domainId}),
           reports as (
             select r.*
               from domain d
               join dmarc_reports r on r.account_id = d.account_id and r.domain_id = d.id and r.ends_at >= ${since}),
           counts as (
             select r.organization, r.ends_at, c.*
               from reports r
               join dmarc_sources c on c.account_id = r.account_id and c.report_id = r.id),
           reporters as (
             select organization as name, sum(messages) as messages, sum(passed) as passed
               from counts group by organization order by messages desc, name limit ${MAX_REPORTERS}),
           sources as (
             select ip, sum(messages) as messages, sum(passed) as passed, sum(dkim_passed) as dkim_passed,
                    sum(spf_passed) as spf_passed, sum(quarantined) as quarantined, sum(rejected) as rejected,
                    max(ends_at) as last_seen_at
               from counts group by ip order by sum(messages - passed) desc, messages desc, ip limit ${MAX_SOURCES + 1})
      select json_build_object(
               'objectType', 'dmarc_results',
               'domainId', d.id,
               'domain', d.domain,
               'reports', (select count(*) from reports),
               'messages', (select coalesce(sum(messages), 0) from counts),
               'passed', (select coalesce(sum(passed), 0) from counts),
               'reporters', (select coalesce(json_agg(r), '[]') from reporters r),
               'sources', (
                 select coalesce(json_agg(json_build_object(
                          'ip', host(ip),
                          'messages', messages,
                          'passed', passed,
                          'dkimPassed', dkim_passed,
                          'spfPassed', spf_passed,
                          'quarantined', quarantined,
                          'rejected', rejected,
                          'domains', array(select distinct name
                                             from counts c cross join unnest(c.domains) name
                                            where c.ip = f.ip order by name limit ${MAX_DOMAINS}),
                          'lastSeenAt', api_time(last_seen_at))), '[]')
                   from (select * from sources limit ${MAX_SOURCES}) f),
               'hasMoreSources', (select count(*) > ${MAX_SOURCES} from sources))::text as json
        from domain d`,
  )
}
