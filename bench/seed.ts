import type { Fragment, Sql } from '../src/server/kernel/db/database.ts'

/** IDs of seeded records that the cases use. */
export type SeededIds = {
  accountId: string
  userId: string
  memberId: string
  campaignId: string
  emptyCampaignId: string
  prospectId: string
  threadId: string
  repId: string
  assistantId: string
  companyId: string
}

const ACCOUNTS = 20
const REPS = 6
const CAMPAIGNS = 20
const STEPS = 4
const LARGE_TABLES = [
  'persons',
  'prospects',
  'email_threads',
  'email_messages',
  'email_message_tags',
  'received_mails',
  'linkedin_messages',
  'calls',
  'opt_outs',
]

/**
 * Seeds `rows` email messages in 20 accounts, 60% of them in the measured account, with people, campaigns and
 * the other lists. IDs and times are derived from row numbers, so that all runs have the same data. Needs a
 * superuser, because it skips foreign key checks.
 */
export async function seed(
  owner: Sql,
  rows: number,
  onProgress: (message: string) => void,
): Promise<SeededIds> {
  await owner`set session_replication_role = replica`
  await owner`set synchronous_commit = off`
  // Declared stable so that PostgreSQL inlines them, which is six times as fast.
  await owner.unsafe(`
    create or replace function pg_temp.to_uuid(account int, kind int, i bigint) returns uuid language sql stable as $$
      select (lpad(to_hex(1700000000000 + i), 12, '0') || '7' || lpad(to_hex(kind), 3, '0') || '8' || lpad(to_hex(account), 3, '0')
              || substr(md5(account || ' ' || kind || ' ' || i), 1, 12))::uuid $$;
    create or replace function pg_temp.at(i bigint) returns timestamptz language sql stable as $$
      select timestamptz '2026-11-01 00:00:00Z' - i * interval '7 seconds' $$`)
  await owner`
    insert into accounts (id, name, postal_address, opt_out_line)
    select pg_temp.to_uuid(a, 0, a), 'Account ' || a, '1 High Street', 'Reply stop' from generate_series(1, ${ACCOUNTS}) a`
  await owner`
    insert into users (id, email, name)
    select pg_temp.to_uuid(a, 1, u), 'user' || u || '@account' || a || '.example', 'User ' || u
      from generate_series(1, ${ACCOUNTS}) a, generate_series(1, 2) u`
  await owner`
    insert into members (account_id, user_id, role)
    select pg_temp.to_uuid(a, 0, a), pg_temp.to_uuid(a, 1, u), case u when 1 then 'owner' else 'member' end
      from generate_series(1, ${ACCOUNTS}) a, generate_series(1, 2) u`
  await withoutIndexes(owner, LARGE_TABLES, async () => {
    for (let account = 1; account <= ACCOUNTS; account++) {
      const messages = Math.round(account === 1 ? rows * 0.6 : (rows * 0.4) / (ACCOUNTS - 1))
      onProgress(`Seeding account ${account} of ${ACCOUNTS}`)
      await seedPeople(owner, account, Math.ceil(messages / 4))
      await seedMessages(owner, account, messages)
      await seedOthers(owner, account, Math.ceil(messages / 10))
    }
  })
  onProgress('Analyzing')
  await owner`vacuum analyze`
  await withoutIndexes(owner, ['conversations'], () => seedConversations(owner))
  await owner`vacuum analyze conversations`
  const [ids] = await owner<SeededIds[]>`
    select pg_temp.to_uuid(1, 0, 1) as "accountId", pg_temp.to_uuid(1, 1, 1) as "userId", pg_temp.to_uuid(1, 1, 2) as "memberId",
           pg_temp.to_uuid(1, 2, 3) as "campaignId", pg_temp.to_uuid(1, 2, ${CAMPAIGNS}) as "emptyCampaignId",
           pg_temp.to_uuid(1, 5, 9) as "prospectId", pg_temp.to_uuid(1, 6, 9) as "threadId", pg_temp.to_uuid(1, 3, 2) as "repId",
           pg_temp.to_uuid(1, 9, 1) as "assistantId", pg_temp.to_uuid(1, 10, 3) as "companyId"`
  await owner`reset session_replication_role`
  await owner`reset synchronous_commit`
  return ids!
}

/** Fills the Do Not Contact list with as many entries as a large account has; only one case needs them. */
export async function seedOptOuts(owner: Sql, ids: SeededIds, count: number): Promise<void> {
  await withoutIndexes(
    owner,
    ['opt_outs'],
    () => owner`
      insert into opt_outs (account_id, id, kind, value)
      select ${ids.accountId}, gen_random_uuid(), 'email', 'gone' || i || '@' || md5(i::text) || '.example'
        from generate_series(1, ${count}) i`,
  )
  await owner`vacuum analyze opt_outs`
}

async function seedPeople(owner: Sql, account: number, threads: number): Promise<void> {
  const id = owner`pg_temp.to_uuid(${account}, 0, ${account})`
  await owner`
    insert into campaigns (account_id, id, name, status, launched_at)
    select ${id}, pg_temp.to_uuid(${account}, 2, i), 'Campaign ' || i, 'paused', now() from generate_series(1, ${CAMPAIGNS}) i`
  await owner`
    insert into campaign_steps (account_id, id, campaign_id, position, channel)
    select ${id}, pg_temp.to_uuid(${account}, 16, c * ${STEPS} + i), pg_temp.to_uuid(${account}, 2, c), i, 'email'
      from generate_series(1, ${CAMPAIGNS}) c, generate_series(1, ${STEPS}) i`
  await owner`
    insert into reps (account_id, id, name, owned_by_id)
    select ${id}, pg_temp.to_uuid(${account}, 3, i), 'Rep ' || i, pg_temp.to_uuid(${account}, 1, 1 + i % 2) from generate_series(1, ${REPS}) i`
  await owner`
    insert into mailboxes (account_id, id, rep_id, kind, email, status)
    select ${id}, pg_temp.to_uuid(${account}, 8, i), pg_temp.to_uuid(${account}, 3, i), 'sandbox', 'rep' || i || '@account' || ${account}::text || '.example', 'active'
      from generate_series(1, ${REPS}) i`
  await owner`
    insert into companies (account_id, id, name, domain)
    select ${id}, pg_temp.to_uuid(${account}, 10, i), 'Company ' || i, 'company' || i || '.example'
      from generate_series(1, ${Math.ceil(threads / 10)}) i`
  await owner`
    insert into persons (account_id, id, first_name, last_name, email, title, company_id)
    select ${id}, pg_temp.to_uuid(${account}, 4, i), 'First' || i, 'Last' || i, 'person' || i || '@company' || i / 10 || '.example', 'Head of Sales',
           pg_temp.to_uuid(${account}, 10, 1 + i % ${Math.ceil(threads / 10)})
      from generate_series(1, ${threads}) i`
  await owner`
    insert into prospects (account_id, id, campaign_id, person_id, rep_id, status, steps_done, created_at)
    select ${id}, pg_temp.to_uuid(${account}, 5, i), pg_temp.to_uuid(${account}, 2, 1 + i % ${CAMPAIGNS - 1}), pg_temp.to_uuid(${account}, 4, i),
           pg_temp.to_uuid(${account}, 3, 1 + i % ${REPS}), 'completed', 1, pg_temp.at(i)
      from generate_series(1, ${threads}) i`
  await owner`
    insert into email_threads (account_id, id, subject, person_id, prospect_id, campaign_id, rep_id, mailbox_id, tags)
    select ${id}, pg_temp.to_uuid(${account}, 6, i), 'Hello First' || i, pg_temp.to_uuid(${account}, 4, i), pg_temp.to_uuid(${account}, 5, i),
           pg_temp.to_uuid(${account}, 2, 1 + i % ${CAMPAIGNS - 1}), pg_temp.to_uuid(${account}, 3, 1 + i % ${REPS}), pg_temp.to_uuid(${account}, 8, 1 + i % ${REPS}),
           case when i % 20 = 0 then '{Interested}'::text[] else '{}' end
      from generate_series(1, ${threads}) i`
  await owner`
    insert into tags (account_id, id, name) select ${id}, pg_temp.to_uuid(${account}, 11, i), name
      from unnest('{Interested,Later,Unused}'::text[]) with ordinality t(name, i)`
}

async function seedMessages(owner: Sql, account: number, messages: number): Promise<void> {
  const threads = Math.ceil(messages / 4)
  const id = owner`pg_temp.to_uuid(${account}, 0, ${account})`
  await owner`
    insert into email_messages (account_id, id, thread_id, campaign_id, prospect_id, rep_id, mailbox_id, step_id, type, status,
                                subject, body, sender, recipients, message_id, sent_at, is_last, tags)
    select ${id}, pg_temp.to_uuid(${account}, 7, i), pg_temp.to_uuid(${account}, 6, t), pg_temp.to_uuid(${account}, 2, 1 + t % ${CAMPAIGNS - 1}),
           pg_temp.to_uuid(${account}, 5, t), pg_temp.to_uuid(${account}, 3, 1 + t % ${REPS}), pg_temp.to_uuid(${account}, 8, 1 + t % ${REPS}),
           pg_temp.to_uuid(${account}, 16, (1 + t % ${CAMPAIGNS - 1}) * ${STEPS} + 1 + (i / ${threads}) % ${STEPS}),
           case when status = 'draft' then 'reply_agent' when i % 4 = 0 then 'received' when i % 16 = 1 then 'manual' else 'campaign' end,
           status, 'Hello First' || t, repeat('We met last spring and I promised to write again. ', 4 + i::int % 17),
           jsonb_build_object('name', 'Rep', 'email', 'rep@account.example'),
           jsonb_build_object('to', jsonb_build_array(jsonb_build_object('name', 'First' || t, 'email', 'person' || t || '@company.example'))),
           '<' || i || '@bench.example>', pg_temp.at(i),
           row_number() over (partition by t, status order by i) = 1,
           case when t % 20 = 0 then '{Interested}'::text[] else '{}' end
      from (select i, 1 + i % ${threads} as t, case when i % 33 = 5 then 'draft' else 'sent' end as status
              from generate_series(1, ${messages}::bigint) i) m`
  // One in 128 emails replies to one of ours, and one in a hundred is a bounce.
  await owner`
    insert into received_mails (account_id, id, fingerprint, mailbox_id, kind, bounce_class, about_id, campaign_id, prospect_id,
                                step_id, variant_id, rep_id, about_type, about_mailbox_id, recipient_domain, contacted_at, received_at)
    select m.account_id, m.id, sha256(m.id::text::bytea), m.mailbox_id, case when i % 100 = 0 then 'bounce' else 'reply' end,
           case when i % 100 = 0 then 'hard' end, o.id, o.campaign_id, o.prospect_id,
           o.step_id, o.variant_id, o.rep_id, o.type, o.mailbox_id, o.recipient_domain,
           case when o.type = 'campaign' and o.status = 'sent' then o.sent_at end, m.sent_at
      from (select i from generate_series(1, ${messages}::bigint) i where i % 128 = 0 or i % 100 = 0) given
      join email_messages m on m.account_id = ${id} and m.id = pg_temp.to_uuid(${account}, 7, i)
      left join email_messages o on o.account_id = ${id} and o.id = pg_temp.to_uuid(${account}, 7, i - i % 100 + 3)`
  await owner`
    insert into email_message_tags (account_id, tag_id, id, thread_id, campaign_id, prospect_id, rep_id, kind, sent_at)
    select account_id, pg_temp.to_uuid(${account}, 11, 1), id, thread_id, campaign_id, prospect_id, rep_id, kind, sent_at
      from email_messages where account_id = ${id} and tags <> '{}'`
}

/** Makes every thread a conversation: 70% are done, 5% wait for our reply, and the others wait for the prospect's. */
const seedConversations = (owner: Sql) => owner`
  insert into conversations (account_id, id, channel, person_id, prospect_id, campaign_id, rep_id, last_message_id,
                             last_message_at, turn, is_unread, done_at)
  select account_id, id, 'email', person_id, prospect_id, campaign_id, rep_id, message_id, sent_at,
         case when n % 20 = 0 then 'ours' else 'theirs' end, n % 40 = 0, case when n % 10 > 2 then sent_at end
    from (select t.*, m.id as message_id, m.sent_at, row_number() over (order by m.sent_at) as n
            from email_threads t
            join email_messages m on m.account_id = t.account_id and m.thread_id = t.id and m.status = 'sent' and m.is_last) t`

async function seedOthers(owner: Sql, account: number, count: number): Promise<void> {
  const id = owner`pg_temp.to_uuid(${account}, 0, ${account})`
  await owner`
    insert into linkedin_conversations (account_id, id, conversation_id, rep_id)
    select ${id}, pg_temp.to_uuid(${account}, 12, i), 'conversation-' || i, pg_temp.to_uuid(${account}, 3, 1 + i % ${REPS})
      from generate_series(1, ${Math.ceil(count / 5)}) i`
  await owner`
    insert into linkedin_messages (account_id, id, conversation_record_id, conversation_id, prospect_id, campaign_id, rep_id,
                                   text, type, status, is_unread, happened_at)
    select ${id}, pg_temp.to_uuid(${account}, 13, i), pg_temp.to_uuid(${account}, 12, c), 'conversation-' || c, pg_temp.to_uuid(${account}, 5, c),
           pg_temp.to_uuid(${account}, 2, 1 + c % ${CAMPAIGNS - 1}), pg_temp.to_uuid(${account}, 3, 1 + c % ${REPS}),
           'Thank you for connecting', case i % 3 when 0 then 'received' else 'manual' end,
           case when i % 33 = 5 then 'draft' else 'sent' end, i % 50 = 0, pg_temp.at(i)
      from (select i, 1 + i % ${Math.ceil(count / 5)} as c from generate_series(1, ${count}::bigint) i) m`
  await owner`
    insert into assistants (account_id, id, name, from_number)
    select ${id}, pg_temp.to_uuid(${account}, 9, i), 'Assistant ' || i, '+442079460018' from generate_series(1, 3) i`
  await owner`
    insert into calls (account_id, id, assistant_id, prospect_id, from_number, to_number, call_type, status, outcome, created_at)
    select ${id}, pg_temp.to_uuid(${account}, 14, i), pg_temp.to_uuid(${account}, 9, 1 + i % 3), pg_temp.to_uuid(${account}, 5, 1 + i % 100),
           '+442079460018', '+4420794' || lpad((i % 100000)::text, 5, '0'), 'outbound', 'ended', 'answered', pg_temp.at(i)
      from generate_series(1, ${count}::bigint) i`
  await owner`
    insert into opt_outs (account_id, id, kind, value, created_at)
    select ${id}, pg_temp.to_uuid(${account}, 15, i), case i % 3 when 0 then 'domain' else 'email' end,
           'out' || i || case i % 3 when 0 then '.example' else '@out.example' end, pg_temp.at(i)
      from generate_series(1, ${count}::bigint) i`
}

/**
 * Drops the tables' indexes, runs `work`, then rebuilds them, which is several times faster than updating them for each
 * row.
 */
export const withoutIndexes = <T>(owner: Sql, tables: string[], work: () => Promise<T>): Promise<T> =>
  withoutMatchingIndexes(owner, owner`i.indrelid = any(${tables}::regclass[])`, work)

/** Runs `work` without the indexes that `query` filters and `search` use, then rebuilds them. */
export const withoutSearchIndexes = <T>(owner: Sql, work: () => Promise<T>): Promise<T> =>
  withoutMatchingIndexes(owner, owner`i.indexrelid::regclass::text like '%\\_by\\_text'`, work)

async function withoutMatchingIndexes<T>(
  owner: Sql,
  isMatching: Fragment,
  work: () => Promise<T>,
): Promise<T> {
  const indexes = await owner<{ name: string; definition: string }[]>`
    select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
      from pg_index i
     where ${isMatching}
       and not exists (select from pg_constraint c where c.conindid = i.indexrelid)`
  for (const { name } of indexes) await owner`drop index ${owner.identifier(name)}`
  const result = await work()
  await owner`set maintenance_work_mem = '256MB'`
  for (const { definition } of indexes) await owner.unsafe(definition)
  return result
}
