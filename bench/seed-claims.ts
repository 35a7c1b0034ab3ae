import type { Sql } from '../src/server/kernel/db/database.ts'
import { withoutIndexes } from './seed.ts'

const CAMPAIGNS = 100
const MAILBOXES = 50
const REPS_PER_CAMPAIGN = 5

/**
 * Seeds `active` and `ended` prospects, as in a database that has been in use for years. 10% of the active
 * prospects are due, and 30% have no mailbox yet. Half of the mailboxes have reached their cap. IDs and times are derived from row
 * numbers. Needs a superuser, because it skips foreign key checks.
 */
export async function seedClaims(
  owner: Sql,
  { accountId, now, active, ended }: { accountId: string; now: Date; active: number; ended: number },
): Promise<void> {
  const toUuid = (kind: number, i: string) =>
    owner.unsafe(`(lpad(to_hex(${kind}), 8, '0') || lpad(to_hex(${i}), 24, '0'))::uuid`)
  await owner`set session_replication_role = replica`
  await owner`set synchronous_commit = off`
  await owner`insert into accounts (id, name) values (${accountId}, 'Due')`
  await owner`
    insert into campaigns (account_id, id, name, status, launched_at)
    select ${accountId}, ${toUuid(1, 'i')}, 'Campaign', 'active', now() from generate_series(1, ${CAMPAIGNS}) i`
  await owner`
    insert into reps (account_id, id, name) select ${accountId}, ${toUuid(2, 'i')}, 'Rep' from generate_series(1, ${MAILBOXES}) i`
  await owner`
    insert into mailboxes (account_id, id, rep_id, kind, email, status, daily_cap, cap_resets_at)
    select ${accountId}, ${toUuid(3, 'i')}, ${toUuid(2, 'i')}, 'sandbox', 'rep' || i || '@due.example', 'active', 50,
           case when i % 2 = 0 then ${now}::timestamptz + interval '1 hour' end
      from generate_series(1, ${MAILBOXES}) i`
  await owner`
    insert into campaign_reps (account_id, campaign_id, rep_id, position)
    select ${accountId}, ${toUuid(1, 'i')}, ${toUuid(2, `1 + (i * ${REPS_PER_CAMPAIGN} + k) % ${MAILBOXES}`)}, k
      from generate_series(1, ${CAMPAIGNS}) i, generate_series(1, ${REPS_PER_CAMPAIGN}) k`
  const mailbox = toUuid(
    3,
    `1 + ((1 + i % ${CAMPAIGNS}) * ${REPS_PER_CAMPAIGN} + 1 + i / ${CAMPAIGNS} % ${REPS_PER_CAMPAIGN}) % ${MAILBOXES}`,
  )
  await withoutIndexes(
    owner,
    ['prospects'],
    () => owner`
    insert into prospects (account_id, id, campaign_id, person_id, status, mailbox_id, next_step_at)
    select ${accountId}, ${toUuid(4, 'i')}, ${toUuid(1, `1 + i % ${CAMPAIGNS}`)}, ${toUuid(5, 'i')},
           case when i > ${active} then 'completed' when i % 10 < 3 then 'pending' else 'active' end,
           case when i > ${active} or i % 10 >= 3 then ${mailbox} end,
           case when i <= ${active}
             then ${now}::timestamptz + (i / ${CAMPAIGNS} % 1000 - 100) * interval '1 minute' end
      from generate_series(1, ${active + ended}::bigint) i`,
  )
  await owner`reset session_replication_role`
  await owner`reset synchronous_commit`
}
