import type { Context } from '../../kernel/context.ts'

/** Lists the errors from the last checks of the domains that a campaign sends from, and the domains never checked. */
export async function findDomainWarnings(
  { sql, accountId }: Pick<Context, 'sql' | 'accountId'>,
  campaignId: string,
): Promise<string[]> {
  const found = await sql<{ domain: string; errors: string[] | null }[]>`
    select s.domain,
           case when d.checked_at is not null
                then array(select error ->> 'message'
                             from jsonb_array_elements(d.checks) error
                            where error ->> 'status' = 'error')
           end as errors
      from (select distinct split_part(coalesce(a.email, b.email), '@', 2) as domain
              from campaign_reps k
              join mailboxes b on b.account_id = k.account_id and b.rep_id = k.rep_id
              left join mailbox_aliases a on a.account_id = b.account_id and a.mailbox_id = b.id and a.is_sender
             where k.account_id = ${accountId} and k.campaign_id = ${campaignId}
               and b.kind = 'smtp' and b.removed_at is null) s
      left join domains d on d.account_id = ${accountId} and d.domain = s.domain
     order by s.domain`
  return found.flatMap(({ domain, errors }) =>
    errors
      ? errors.map(error => `${domain}: ${error}`)
      : [
          `${domain}: its DNS was never checked. Check the domain to find out whether its emails will arrive.`,
        ],
  )
}
