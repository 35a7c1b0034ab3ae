import type { Context } from '../../kernel/context.ts'

/** Lists the faults from the last checks of the domains that a campaign sends from, and the domains never checked. */
export async function findDomainWarnings(
  { sql, accountId }: Pick<Context, 'sql' | 'accountId'>,
  campaignId: string,
): Promise<string[]> {
  const found = await sql<{ domain: string; faults: string[] | null }[]>`
    select s.domain,
           case when d.checked_at is not null
                then array(select fault ->> 'message'
                             from jsonb_array_elements(d.checks) fault
                            where fault ->> 'status' = 'fault')
           end as faults
      from (select distinct split_part(b.email, '@', 2) as domain
              from campaign_reps k
              join mailboxes b on b.account_id = k.account_id and b.rep_id = k.rep_id
             where k.account_id = ${accountId} and k.campaign_id = ${campaignId}
               and b.kind = 'smtp' and b.removed_at is null) s
      left join domains d on d.account_id = ${accountId} and d.domain = s.domain
     order by s.domain`
  return found.flatMap(({ domain, faults }) =>
    faults
      ? faults.map(fault => `${domain}: ${fault}`)
      : [
          `${domain}: its DNS was never checked. Check the domain to find out whether its emails will arrive.`,
        ],
  )
}
