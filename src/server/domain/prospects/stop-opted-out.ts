import type { Context } from '../../kernel/context.ts'
import { type Fragment, forceCustomPlans } from '../../kernel/db/database.ts'
import type { OptOutIdentifier, OptOutKind } from '../../protocols/identity/opt-out-identifier.ts'
import { completeCampaign } from './complete-campaign.ts'

type Account = Pick<Context, 'sql' | 'accountId'>
type Stop = {
  from: string[]
  status: 'paused' | 'opted_out' | 'bounced'
  reason: string
  /** Another person to stop. */
  personId?: string | null
}

const MAX_COUNT = 1_000

/** Pauses the open prospects that match these entries; returns their number. */
export const pauseOptedOutProspects = async (
  account: Account,
  entries: readonly OptOutIdentifier[],
): Promise<number> => {
  const ids = await stopProspects(account, selectMatched(account, entries), {
    from: ['pending', 'active', 'out_of_office'],
    status: 'paused',
    reason: 'do_not_contact',
  })
  return ids.length
}

/**
 * Ends the prospects that match these entries, and those of the person if one is given, because the people opted out
 * themselves; returns their IDs. Completed, stopped, bounced and failed prospects become opted out too, so that they
 * can't continue with another address; replied ones keep their status.
 */
export const endOptedOutProspects = (
  account: Account,
  entries: readonly OptOutIdentifier[],
  reason: string,
  personId: string | null = null,
): Promise<string[]> =>
  stopProspects(account, selectMatched(account, entries), {
    from: ['pending', 'active', 'out_of_office', 'paused', 'completed', 'stopped', 'bounced', 'failed'],
    status: 'opted_out',
    reason,
    personId,
  })

/**
 * Ends the prospects whose current addresses hard-bounced; returns their IDs. A bounce blocks only the address, so it
 * doesn't end sequences to a different address. Stopped prospects stay stopped, because a bounced one could be resumed.
 */
export const endBouncedProspects = (account: Account, emails: readonly string[]): Promise<string[]> =>
  stopProspects(account, selectByEmail(account, emails), {
    from: ['pending', 'active', 'out_of_office', 'paused', 'completed'],
    status: 'bounced',
    reason: 'hard_bounce',
  })

/**
 * Stops the prospects of the matched people, completes campaigns that have no open prospects left, and returns the IDs
 * of the stopped prospects.
 */
async function stopProspects({ sql, accountId }: Account, matched: Fragment, stop: Stop): Promise<string[]> {
  await forceCustomPlans(sql)
  // Arrays instead of joins force the planner to probe the index for each person. Rows are locked in the order of their
  // IDs, so that concurrent requests can't deadlock.
  const campaigns = await sql<{ id: string; stopped: string[] }[]>`
    with matched as (
      ${matched}
       union
      select ${stop.personId ?? null}::uuid
    ), locked as (
      select id
        from prospects
       where account_id = ${accountId} and status = any(${stop.from})
         and id = any(array(
               select r.id
                 from matched
                cross join lateral (
                       select id from prospects where account_id = ${accountId} and person_id = matched.id offset 0) r))
       order by id
         for update
    ), stopped as (
      update prospects
         set status = ${stop.status}, status_reason = ${stop.reason}, updated_at = now()
       where account_id = ${accountId} and id = any(array(select id from locked))
      returning id, campaign_id
    )
    select campaign_id as id, array_agg(id) as stopped from stopped group by campaign_id order by campaign_id`
  for (const { id } of campaigns) await completeCampaign(sql, id)
  return campaigns.flatMap(({ stopped }) => stopped)
}

/** Counts the people who match these entries, up to `MAX_COUNT`. */
export async function countMatched(account: Account, entries: readonly OptOutIdentifier[]): Promise<number> {
  const { sql } = account
  await forceCustomPlans(sql)
  const [matched] = await sql<{ count: number }[]>`
    select count(*)::int as count from (select from (${selectMatched(account, entries)}) m limit ${MAX_COUNT}) counted`
  return matched!.count
}

/**
 * Selects the IDs of the people who match these entries. Lateral joins with an offset or limit force the planner to
 * probe the index for each entry.
 */
function selectMatched(account: Account, entries: readonly OptOutIdentifier[]): Fragment {
  const { sql, accountId } = account
  const listValues = (...kinds: OptOutKind[]) =>
    entries.filter(entry => kinds.includes(entry.kind)).map(entry => entry.value)
  const aliasDomainKey = sql`reverse(split_part(value, '@', 2)) collate "C"`
  return sql`
    ${selectByEmail(account, listValues('email'))}
     union
    select p.id
      from unnest(${listValues('email', 'linkedin', 'phone', 'sms', 'whatsapp')}::text[]) as entry(value)
     cross join lateral (
            select person_id as id from person_aliases
             where account_id = ${accountId} and kind in ('email', 'linkedin', 'phone') and value = entry.value offset 0) p
     union
    select p.id
      from unnest(${listValues('linkedin')}::text[]) as entry(url)
     cross join lateral (
            select id from persons where account_id = ${accountId} and linkedin_url = entry.url limit 1) p
     union
    select p.id
      from unnest(${listValues('phone', 'sms', 'whatsapp')}::text[]) as entry(phone)
     cross join lateral (
            select id from persons where account_id = ${accountId} and phone = entry.phone offset 0) p
     union
    select p.id
      from (select reverse(domain) as key, reverse(domain) || '.' as below, reverse(domain) || '/' as above
              from unnest(${listValues('domain')}::text[]) as entry(domain) offset 0) entry
     cross join lateral (
            (select id from persons where account_id = ${accountId} and domain_key = entry.key offset 0)
             union all
            (select id from persons
              where account_id = ${accountId} and domain_key >= entry.below and domain_key < entry.above offset 0)
             union all
            (select person_id from person_aliases
              where account_id = ${accountId} and kind = 'email' and ${aliasDomainKey} = entry.key offset 0)
             union all
            (select person_id from person_aliases
              where account_id = ${accountId} and kind = 'email'
                and ${aliasDomainKey} >= entry.below and ${aliasDomainKey} < entry.above offset 0)) p`
}

/** Selects the IDs of the people who have one of these addresses now. */
const selectByEmail = ({ sql, accountId }: Account, emails: readonly string[]): Fragment => sql`
    select p.id
      from unnest(${[...emails]}::text[]) as entry(email)
     cross join lateral (
            select id from persons where account_id = ${accountId} and email = entry.email limit 1) p`
