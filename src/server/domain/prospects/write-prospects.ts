import type { Context } from '../../kernel/context.ts'
import { currentAccount, type Fragment } from '../../kernel/db/database.ts'
import { conflict } from '../../kernel/errors.ts'

type Account = Pick<Context, 'sql' | 'accountId'>

/** Returns the statuses in which a prospect may be contacted; the index of due prospects covers no others. */
export const openStatuses = (sql: Context['sql']): Fragment => sql`('pending', 'active', 'out_of_office')`

/** Returns whether a launched campaign may still contact one of these persons, or someone at one of the companies. */
export async function isEnrolled(
  { sql, accountId }: Account,
  people: { personIds: readonly string[] } | { companyIds: readonly string[] },
): Promise<boolean> {
  const isSelected =
    'personIds' in people
      ? sql`r.person_id = any(${[...people.personIds]}::uuid[])`
      : sql`r.person_id in (select id from persons
                             where account_id = r.account_id and company_id = any(${[...people.companyIds]}::uuid[]))`
  const { count } = await sql`
    select from prospects r join campaigns c on c.account_id = r.account_id and c.id = r.campaign_id
     where r.account_id = ${accountId} and ${isSelected} and c.status <> 'draft'
       and (r.status in ${openStatuses(sql)} or r.status in ('paused', 'failed'))
     limit 1`
  return count > 0
}

/**
 * Returns a prospect's dispatch key: its mailbox; without one, the nil UUID before its first step was planned and the
 * max UUID afterwards. Must match the index.
 */
export const dispatchKey = (sql: Context['sql'], prospect: Fragment): Fragment => sql`
  case when ${prospect}.mailbox_id is not null then ${prospect}.mailbox_id
       when ${prospect}.began_at is null then '00000000-0000-0000-0000-000000000000'
       else 'ffffffff-ffff-ffff-ffff-ffffffffffff' end`

/** An existing prospect of a person, in this campaign or open in another active one. */
export type OtherProspect = { id: string; personId: string; isInCampaign: boolean }

/** Finds the other prospects of these persons; those that a merge made duplicates come first. */
export const findOtherProspects = (
  { sql }: Account,
  campaignId: string,
  personIds: readonly string[],
): Promise<OtherProspect[]> => sql<OtherProspect[]>`
  select r.id, r.person_id as "personId", r.campaign_id = ${campaignId} as "isInCampaign"
    from unnest(${[...personIds]}::uuid[]) u(person_id)
   cross join lateral (
          select * from prospects where account_id = ${currentAccount(sql)} and person_id = u.person_id limit 1000) r
   cross join lateral (
          select status from campaigns where account_id = ${currentAccount(sql)} and id = r.campaign_id limit 1) c
   where r.campaign_id = ${campaignId} or (c.status = 'active' and r.status in ${openStatuses(sql)})
   order by r.is_duplicate desc`

/**
 * Inserts prospects. A person who is away in other campaigns is away in this one, too. `created_at` is the earlier time
 * of the two clocks: messages use the app's clock, and exports use the database's.
 */
export const insertProspects = (
  { sql, accountId }: Account,
  campaignId: string,
  prospects: readonly { id: string; personId: string }[],
  addedAt: Date,
) => sql`
  insert into prospects (account_id, id, campaign_id, person_id, next_step_at, delay_starts_at, away_until, created_at)
  select ${accountId}, p.id, ${campaignId}, "personId", ${addedAt}, ${addedAt},
         (select max(away_until) from prospects where account_id = ${accountId} and person_id = p."personId"),
         least(${addedAt}::timestamptz, now())
    from jsonb_to_recordset(${sql.json([...prospects])}) as p(id uuid, "personId" uuid)`

/** Deletes the prospects of a draft. Throws a conflict if a message or task refers to one of them. */
export async function deleteProspects({ sql, accountId }: Account, campaignId: string): Promise<void> {
  try {
    await sql`delete from prospects where account_id = ${accountId} and campaign_id = ${campaignId}`
  } catch (error) {
    if ((error as { code?: string }).code !== FOREIGN_KEY_VIOLATION) throw error
    throw conflict('Messages or tasks belong to prospects of this draft. Archive it instead.')
  }
}

const FOREIGN_KEY_VIOLATION = '23503'
