import type { Fragment, Sql } from '../../../src/server/kernel/db/database.ts'

const ROWS = 20_000
/** Number of rows at the end of each list that have rare values. */
const OLDEST_ROWS = 30
/** The time of row 18,000 of 20,000: far down each list, but above the `OLDEST_ROWS` rows at its end. */
export const DEEP_AT = '2026-10-31T19:00:00.000Z'

/** IDs that most rows, the oldest few rows or no rows refer to. */
export type Skewed = { big: string; rare: string; none: string }

export type SeededAccount = {
  accountId: string
  ownerId: string
  /** Owns the reps `rare` and `none`. */
  memberId: string
  ids: Record<
    'campaign' | 'rep' | 'prospect' | 'person' | 'thread' | 'company' | 'assistant' | 'webhook' | 'member',
    Skewed
  >
  tags: Skewed
}

/**
 * Seeds an account with 20,000 rows in nearly every table that a list reads; row 1 is the newest. The rows with rare
 * values are the oldest, so a plan that scans by time to find them reads the whole table.
 */
export async function seedSkewed(owner: Sql): Promise<SeededAccount> {
  await owner`set session_replication_role = replica`
  await owner.unsafe(`
    create function pg_temp.to_uuid(account int, kind int, i bigint) returns uuid language sql immutable as $$
      select md5(account || ' ' || kind || ' ' || i)::uuid $$;
    create function pg_temp.at(i bigint) returns timestamptz language sql immutable as $$
      select timestamptz '2026-11-01 00:00:00Z' - i * interval '1 second' $$;
    create function pg_temp.skewed(i bigint, total bigint) returns int language sql immutable as $$
      select case when i > total - ${OLDEST_ROWS} then 3 when i <= total * 6 / 10 then 1 else 5 end $$`)
  // Seeds a second account, because with only one, the query planner makes different estimates.
  await seedAccount(owner, 2, ROWS / 4)
  await seedAccount(owner, 1, ROWS)
  await owner`reset session_replication_role`
  // Vacuums now, so that no autovacuum changes the plans later.
  await owner`vacuum analyze`
  const kinds = {
    campaign: 2,
    rep: 3,
    prospect: 5,
    person: 4,
    thread: 6,
    company: 10,
    assistant: 9,
    webhook: 16,
    member: 1,
  }
  const toUuid = async (kind: number, i: number): Promise<string> => {
    const [row] = await owner<{ id: string }[]>`select pg_temp.to_uuid(1, ${kind}, ${i}) as id`
    return row!.id
  }
  const skewed = async (kind: number) => ({
    big: await toUuid(kind, 1),
    rare: await toUuid(kind, 3),
    none: await toUuid(kind, 4),
  })
  const ids = await Promise.all(
    Object.entries(kinds).map(async ([name, kind]) => [name, await skewed(kind)] as const),
  )
  return {
    accountId: await toUuid(0, 0),
    ownerId: await toUuid(1, 1),
    memberId: await toUuid(1, 2),
    ids: Object.fromEntries(ids) as SeededAccount['ids'],
    tags: { big: 'tag1', rare: 'tag3', none: 'tag4' },
  }
}

async function seedAccount(owner: Sql, account: number, rows: number): Promise<void> {
  const id = owner`pg_temp.to_uuid(${account}, 0, 0)`
  const toUuid = (kind: number, i: string): Fragment =>
    owner.unsafe(`pg_temp.to_uuid(${account}, ${kind}, ${i})`) as unknown as Fragment
  const numbers = owner`generate_series(1, ${rows}::bigint) i`
  const isOldest = owner`i > ${rows - OLDEST_ROWS}`
  const skewedId = (kind: number) => toUuid(kind, `pg_temp.skewed(i, ${rows})`)
  await owner`insert into accounts (id, name) values (${id}, 'Acme')`
  await owner`
    insert into users (id, email, name)
    select ${toUuid(1, 'i')}, ${account} || 'user' || i || '@acme.example', 'User' from ${numbers}`
  await owner`
    insert into members (account_id, user_id, role, created_at)
    select ${id}, ${toUuid(1, 'i')}, case i when 1 then 'owner' else 'member' end, pg_temp.at(i) from ${numbers}`
  await owner`
    insert into audit_log (account_id, id, at, user_id, actor, action, object_type)
    select ${id}, ${toUuid(27, 'i')}, pg_temp.at(i), ${skewedId(1)}, 'cli', case when ${isOldest} then 'delete' else 'update' end,
           case when ${isOldest} then 'person' else 'campaign' end
      from ${numbers}`
  await owner`
    insert into campaigns (account_id, id, name, status, launched_at, created_at)
    select ${id}, ${toUuid(2, 'i')}, 'Campaign', status, case status when 'draft' then null else now() end, pg_temp.at(i)
      from (select i, case when ${isOldest} then 'completed' when i % 5000 = 3 then 'paused'
                           when i % 2 = 0 then 'active' else 'draft' end as status
              from ${numbers}) c`
  await owner`
    insert into reps (account_id, id, name, owned_by_id, created_at)
    select ${id}, ${toUuid(3, 'i')}, 'Rep', ${toUuid(1, 'case when i in (3, 4) then 2 else i + 10 end')}, pg_temp.at(i)
      from ${numbers}`
  await owner`
    insert into campaign_reps (account_id, campaign_id, rep_id, position)
    select ${id}, ${toUuid(2, 'i')}, ${toUuid(3, 'i')}, 1 from ${numbers}`
  await owner`
    insert into mailboxes (account_id, id, rep_id, kind, email, status, removed_at, created_at)
    select ${id}, ${toUuid(8, 'i')}, ${skewedId(3)}, 'sandbox', 'rep' || i || '@acme.example', 'active',
           case when i < ${rows / 2} then now() end, pg_temp.at(i)
      from ${numbers}`
  await owner`
    insert into companies (account_id, id, name, domain, created_at)
    select ${id}, ${toUuid(10, 'i')}, 'Company' || i, 'company' || i || '.example', pg_temp.at(i) from ${numbers}`
  await owner`
    insert into persons (account_id, id, first_name, email, company_id, owner_rep_id, custom, search_text, created_at)
    select ${id}, ${toUuid(4, 'i')}, 'Ada', 'person' || i || '@company' || pg_temp.skewed(i, ${rows}) || '.example', ${skewedId(10)}, ${skewedId(3)},
           jsonb_build_object('industry', case when ${isOldest} then 'Logistics' else 'Retail' end),
           search_key('Ada person' || i || '@company' || pg_temp.skewed(i, ${rows}) || '.example'), pg_temp.at(i) from ${numbers}`
  await owner`
    insert into custom_fields (account_id, id, applies_to, key, label, type)
    values (${id}, ${toUuid(17, '1')}, 'person', 'industry', 'Industry', 'text')`
  await owner`
    insert into person_activity (account_id, person_id, last_contacted_at)
    select ${id}, ${toUuid(4, 'i')}, case when not ${isOldest} then pg_temp.at(i) else '-infinity' end from ${numbers}`
  await owner`
    insert into prospects (account_id, id, campaign_id, person_id, status, intent, created_at)
    select ${id}, ${toUuid(5, 'i')}, ${skewedId(2)}, ${toUuid(4, 'i')},
           case when ${isOldest} then case when i % 2 = 0 then 'replied' else 'paused' end
                when i % 2 = 0 then 'active' else 'pending' end,
           case when ${isOldest} then 'question' when i % 3 = 0 then 'interested' end, pg_temp.at(i)
      from ${numbers}`
  await owner`
    insert into tags (account_id, id, name, created_at)
    select ${id}, ${toUuid(11, 'i')}, 'Tag' || i, pg_temp.at(i) from ${numbers}`
  await owner`
    insert into person_tags (account_id, tag_id, id, created_at)
    select ${id}, ${skewedId(11)}, ${toUuid(4, 'i')}, pg_temp.at(i) from ${numbers}`
  await owner`
    insert into assistants (account_id, id, name, from_number, created_at)
    select ${id}, ${toUuid(9, 'i')}, 'Desk', '+442079460018', pg_temp.at(i) from ${numbers}`
  await owner`
    insert into calls (account_id, id, assistant_id, rep_id, prospect_id, from_number, to_number, call_type, status, outcome, created_at)
    select ${id}, ${toUuid(14, 'i')}, ${skewedId(9)}, ${skewedId(3)}, ${toUuid(5, threadNumber(rows))},
           '+442079460018', '+442079460019', 'outbound', status,
           case when status <> 'ended' then null when ${isOldest} then 'busy'
                else (array['answered', 'answered', 'voicemail', 'no_answer'])[1 + i % 4] end, pg_temp.at(i)
      from (select i, case when ${isOldest} and i % 2 = 0 then 'queued' else 'ended' end as status from ${numbers}) c`
  await owner`
    insert into tasks (account_id, id, rep_id, campaign_id, prospect_id, person_id, step_id, channel, status, ended_at, due_at)
    select ${id}, ${toUuid(19, 'i')}, ${skewedId(3)}, ${skewedId(2)}, ${toUuid(5, threadNumber(rows))}, ${toUuid(4, threadNumber(rows))}, ${toUuid(20, 'i')},
           'task', status, case when status <> 'open' then now() end, pg_temp.at(i)
      from (select i, case when ${isOldest} then 'open' when i % 9 = 0 then 'skipped' else 'completed' end as status
              from ${numbers}) t`
  await owner`
    insert into call_requests (account_id, id, assistant_id, rep_id, call, timezones, reason, requested_by_id, status,
                               decided_by_id, decided_at, call_id, created_at)
    select ${id}, ${toUuid(21, 'i')}, ${skewedId(9)}, ${skewedId(3)}, '{}', '{}', 'Asked for', ${toUuid(1, '1')}, status,
           case when status <> 'waiting' then ${toUuid(1, '1')} end, case when status <> 'waiting' then now() end,
           case when status = 'approved' then ${toUuid(14, 'i')} end, pg_temp.at(i)
      from (select i, case when ${isOldest} then 'declined' when i % 5000 = 3 then 'waiting' else 'approved' end as status
              from ${numbers}) q`
  await owner`
    insert into opt_outs (account_id, id, kind, value, source, added_by_id, created_at)
    select ${id}, ${toUuid(15, 'i')}, case when ${isOldest} then 'domain' when i % 3 = 0 then 'phone' else 'email' end,
           'out' || i, case when ${isOldest} then 'import' when i % 3 = 0 then 'reply' else 'api' end, ${skewedId(1)}, pg_temp.at(i)
      from ${numbers}`
  await owner`
    insert into consents (account_id, id, phone, kind, covers, proof, given_at, created_at)
    select ${id}, gen_random_uuid(), case when ${isOldest} then '+442079460020' else '+442079460019' end, 'written',
           'ai_voice_marketing', 'Form', pg_temp.at(i), pg_temp.at(i)
      from ${numbers}`
  await owner`
    insert into webhooks (account_id, id, url, event_types, secret, created_at)
    select ${id}, ${toUuid(16, 'i')}, 'https://hooks.example', '{email.*}', '', pg_temp.at(i) from generate_series(1, 5) i`
  await owner`
    insert into webhook_deliveries (account_id, id, webhook_id, event_id, event_type, object_id, status, created_at)
    select ${id}, ${toUuid(17, 'i')}, ${skewedId(16)}, ${toUuid(18, 'i')}, 'email.sent', ${toUuid(7, 'i')},
           case when ${isOldest} then 'failed' when i <= 40 then 'pending' else 'delivered' end, pg_temp.at(i)
      from ${numbers}`
  await seedUserData(owner, { rows, id, toUuid, skewedId, numbers, isOldest })
  await seedEmail(owner, { rows, id, toUuid, skewedId, numbers, isOldest })
  await seedLinkedin(owner, { rows, id, toUuid, skewedId, numbers, isOldest })
  await seedConversations(owner, { rows, id, toUuid, skewedId, numbers, isOldest })
}

type Seed = {
  rows: number
  id: Fragment
  toUuid: (kind: number, i: string) => Fragment
  skewedId: (kind: number) => Fragment
  numbers: Fragment
  isOldest: Fragment
}

/** Seeds tokens, sessions and connected apps of the owner and the member, and invitations. */
async function seedUserData(owner: Sql, { id, toUuid, numbers }: Seed): Promise<void> {
  const userId = toUuid(1, '1 + i % 2')
  const hash = owner`sha256(${id}::text::bytea || i::text::bytea)`
  await owner`
    insert into api_tokens (id, user_id, name, prefix, token_hash, created_at)
    select ${toUuid(22, 'i')}, ${userId}, 'Token', ${id} || ' ' || i, ${hash}, pg_temp.at(i) from ${numbers}`
  await owner`
    insert into sessions (id, user_id, token_hash, created_at, last_seen_at, expires_at)
    select ${toUuid(23, 'i')}, ${userId}, ${hash}, pg_temp.at(i), now(), '2100-01-01' from ${numbers}`
  await owner`
    insert into oauth_grants (id, account_id, user_id, client_id, client_name, client_host, scopes, payload, expires_at, created_at)
    select ${toUuid(24, 'i')}, ${id}, ${userId}, 'client', 'Client', 'client.example', '{}', '{}', '2100-01-01', pg_temp.at(i)
      from ${numbers}`
  await owner`
    insert into invitations (account_id, id, email, role, expires_at, created_at)
    select ${id}, ${toUuid(25, 'i')}, 'invited' || i || '@acme.example', 'member', '2100-01-01', pg_temp.at(i)
      from ${numbers}`
}

/**
 * Returns SQL for the number of the thread or prospect of message `i`. Each thread or prospect has four messages,
 * except one that has the newest forty and one that has the oldest two.
 */
const threadNumber = (rows: number) =>
  `case when i <= 40 then 1 when i > ${rows - 2} then 3 else 100 + i / 4 end`

async function seedEmail(owner: Sql, seed: Seed): Promise<void> {
  const { rows, id, toUuid, skewedId, numbers, isOldest } = seed
  const thread = threadNumber(rows)
  await owner`
    insert into email_threads (account_id, id, subject)
    select ${id}, ${toUuid(6, 't')}, 'Hello' from (select distinct ${owner.unsafe(thread)} as t from ${numbers}) t`
  await owner`
    insert into email_messages (account_id, id, thread_id, campaign_id, prospect_id, rep_id, type, status,
                                subject, body, recipients, message_id, sent_at, is_last, tags)
    select ${id}, ${toUuid(7, 'i')}, ${toUuid(6, 't')}, ${skewedId(2)}, ${toUuid(5, 't')}, ${skewedId(3)}, type, status, 'Hello', 'Hi',
           '{"to":[]}', '<' || i || '@acme.example>', pg_temp.at(i),
           status is not null and row_number() over (partition by t, status order by i) = 1, '{}'
      from (select i, t, type,
                   case when i <= 50 and type <> 'received' then null
                        when ${isOldest} and type = 'manual' and i % 4 = 1 then 'draft' else 'sent' end as status
              from (select i, ${owner.unsafe(thread)} as t,
                           case when ${isOldest} and i % 2 = 1 then 'manual' when i % 3 = 0 then 'received'
                                else 'campaign' end as type
                      from ${numbers}) m) m`
  await tagMessages(owner, seed, 'email_messages', 'email_message_tags', 7)
}

async function seedLinkedin(owner: Sql, seed: Seed): Promise<void> {
  const { rows, id, toUuid, skewedId, numbers, isOldest } = seed
  await owner`
    insert into linkedin_conversations (account_id, id, conversation_id) values (${id}, ${toUuid(12, '1')}, '2-abc')`
  await owner`
    insert into linkedin_messages (account_id, id, conversation_record_id, conversation_id, prospect_id, campaign_id,
                                   rep_id, text, type, status, is_unread, happened_at)
    select ${id}, ${toUuid(13, 'i')}, ${toUuid(12, '1')}, '2-abc', ${toUuid(5, threadNumber(rows))}, ${skewedId(2)}, ${skewedId(3)}, 'Hello',
           case when ${isOldest} and i % 2 = 1 then 'manual' when i % 3 = 0 then 'received' else 'campaign' end,
           case when ${isOldest} and i % 4 = 1 then 'draft' else 'sent' end, ${isOldest}, pg_temp.at(i)
      from ${numbers}`
  await tagMessages(owner, seed, 'linkedin_messages', 'linkedin_message_tags', 13)
}

/** Seeds conversations of email threads. A few need an answer, are snoozed, or have a draft. */
async function seedConversations(
  owner: Sql,
  { rows, id, toUuid, skewedId, numbers, isOldest }: Seed,
): Promise<void> {
  await owner`
    insert into email_threads (account_id, id, subject)
    select ${id}, ${toUuid(26, 'i')}, 'Hello' from ${numbers}`
  await owner`
    insert into conversations (account_id, id, channel, person_id, campaign_id, rep_id, last_message_at, intent, turn, has_drafts,
                               needs_approval, has_unconfirmed, is_unread, done_at, snoozed_until, assignee_id)
    select ${id}, ${toUuid(26, 'i')}, case when ${isOldest} then 'linkedin' else 'email' end, ${toUuid(4, threadNumber(rows))}, ${skewedId(2)},
           ${skewedId(3)}, pg_temp.at(i), case when ${isOldest} then 'question' when i % 3 = 0 then 'interested' end,
           case when ${isOldest} then 'ours' else 'theirs' end, ${isOldest} and i % 4 = 1, ${isOldest} and i % 4 = 1, ${isOldest} and i % 4 = 2, ${isOldest},
           case when i % 2 = 0 and not ${isOldest} then pg_temp.at(i) end,
           case when ${isOldest} and i % 4 = 3 then timestamptz '2100-01-01' - i * interval '1 second' end,
           case when ${isOldest} then ${toUuid(1, '3')} when i % 5 = 0 then ${toUuid(1, '1')} end
      from ${numbers}`
  await owner`
    insert into conversation_tags (account_id, tag_id, id, rep_id, last_message_at)
    select ${id}, g.tag_id, ${toUuid(26, 'i')}, ${skewedId(3)}, pg_temp.at(i)
      from ${numbers}
     cross join lateral (values (${toUuid(11, '1')}, i % 2 = 0), (${toUuid(11, '3')}, i > ${rows - 10})) g(tag_id, has_tag)
     where g.has_tag`
}

/** Tags every second message, and the oldest ten. Copies the tag table's other columns from the message. */
async function tagMessages(
  owner: Sql,
  { rows, id, toUuid, numbers }: Seed,
  table: string,
  tagTable: string,
  kind: number,
): Promise<void> {
  const columns = await owner<{ name: string }[]>`
    select column_name as name from information_schema.columns
     where table_name = ${tagTable} and column_name <> 'tag_id' order by ordinal_position`
  const names = columns.map(({ name }) => name)
  for (const [tag, condition] of Object.entries({ 1: 'i % 2 = 0', 3: `i > ${rows - 10}` })) {
    await owner`
      insert into ${owner.identifier(tagTable)} (tag_id, ${owner.unsafe(names.join(', '))})
      select ${toUuid(11, tag)}, ${owner.unsafe(names.map(name => `m.${name}`).join(', '))}
        from ${numbers}
        join ${owner.identifier(table)} m on m.account_id = ${id} and m.id = ${toUuid(kind, 'i')}
       where ${owner.unsafe(condition)}`
  }
}
