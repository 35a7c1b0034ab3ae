import type { Sql } from '../src/server/kernel/db/database.ts'
import { withoutIndexes } from './seed.ts'

/** The last day of the seeded emails; they go back 24 months. */
export const LAST_DAY = '2026-10-31'

export type ReportIds = { campaignId: string; repId: string }

const STEPS = 3
const MAILBOXES = 60
const REPS = 12
/** Campaigns that run during the whole period. At any time, four of the other campaigns run, too. */
const LARGE_CAMPAIGNS = 4
const CAMPAIGNS = 100
/** Average number of emails and replies per prospect. */
const MESSAGES_PER_PROSPECT = 2.85

const toUuid = (sql: Sql, kind: number, i: string) =>
  sql.unsafe(
    `(lpad(to_hex(1700000000000 + (${i})::bigint), 12, '0') || '7000800000000000' || lpad(to_hex(${kind}), 4, '0'))::uuid`,
  )

/** Returns an SQL expression for a pseudorandom number from 0 to 99 that depends on prospect `i`. */
const randomPercent = (seed: number) => `((hashint8extended(i, ${seed}) % 100 + 100) % 100)`

/**
 * Seeds one account that has sent for 24 months, with about `messages` emails and replies. Most of its
 * prospects are in a sequence of three emails with two variants each. 5% of the prospects reply, and 3% of
 * the first emails bounce. Some steps are done on LinkedIn and by phone. Needs a superuser, because it skips
 * foreign key checks.
 */
export async function seedReport(
  owner: Sql,
  { accountId, messages, log }: { accountId: string; messages: number; log: (message: string) => void },
): Promise<ReportIds> {
  const prospects = Math.round(messages / MESSAGES_PER_PROSPECT)
  await owner`set session_replication_role = replica`
  await owner`set synchronous_commit = off`
  await owner`insert into accounts (id, name) values (${accountId}, 'Acme')`
  await owner`
    insert into reps (account_id, id, name)
    select ${accountId}, ${toUuid(owner, 1, 'i')}, 'Rep ' || i from generate_series(1, ${REPS}) i`
  await owner`
    insert into mailboxes (account_id, id, rep_id, kind, email, status)
    select ${accountId}, ${toUuid(owner, 2, 'i')}, ${toUuid(owner, 1, `1 + i % ${REPS}`)}, 'sandbox', 'rep' || i || '@acme.example', 'active'
      from generate_series(1, ${MAILBOXES}) i`
  await owner`
    insert into campaigns (account_id, id, name, status, launched_at)
    select ${accountId}, ${toUuid(owner, 3, 'i')}, 'Campaign ' || i, 'active', now() from generate_series(0, ${CAMPAIGNS - 1}) i`
  await owner`
    insert into campaign_steps (account_id, id, campaign_id, position, channel)
    select ${accountId}, ${toUuid(owner, 4, `c * ${STEPS} + n`)}, ${toUuid(owner, 3, 'c')}, n, 'email'
      from generate_series(0, ${CAMPAIGNS - 1}) c, generate_series(1, ${STEPS}) n`
  await owner`
    insert into campaign_steps (account_id, id, campaign_id, position, channel)
    select ${accountId}, ${toUuid(owner, 15, 'c')}, ${toUuid(owner, 3, 'c')}, ${STEPS + 1}, 'linkedin_connect'
      from generate_series(0, ${CAMPAIGNS - 1}) c`
  await owner`
    insert into campaign_steps (account_id, id, campaign_id, position, channel, on_answered, retries, retry_after_amount, retry_after_unit)
    select ${accountId}, ${toUuid(owner, 16, 'c')}, ${toUuid(owner, 3, 'c')}, ${STEPS + 2}, 'call', 'continue', 0, 1, 'days'
      from generate_series(0, ${CAMPAIGNS - 1}) c`
  await owner`
    insert into campaign_step_variants (account_id, id, step_id, position, subject, body, weight)
    select ${accountId}, ${toUuid(owner, 5, `2 * (c * ${STEPS} + n) + v`)}, ${toUuid(owner, 4, `c * ${STEPS} + n`)}, v + 1, 'Hello', 'Hi', 1
      from generate_series(0, ${CAMPAIGNS - 1}) c, generate_series(1, ${STEPS}) n, generate_series(0, 1) v`
  log(`report: seeding ${prospects} prospects`)
  const period = owner`(timestamptz '${owner.unsafe(LAST_DAY)} 23:59:59Z' - interval '730 days')`
  // The history of each prospect, from which its messages are derived.
  await owner`
    create temp table plan as
    select i, ${period} + i * (interval '730 days' / ${prospects}::float) as begins_at,
           case when i % 2 = 0 then i / 2 % ${LARGE_CAMPAIGNS}
                else ${LARGE_CAMPAIGNS} + i / 2 % 4 + 4 * (i * ${(CAMPAIGNS - LARGE_CAMPAIGNS) / 4}::bigint / ${prospects + 1}) end as c,
           i % ${MAILBOXES} + 1 as mailbox, ${owner.unsafe(randomPercent(1))} < 5 as replies, ${owner.unsafe(randomPercent(2))} % ${STEPS} + 1 as replies_to,
           ${owner.unsafe(randomPercent(3))} < 3 as bounces, ${owner.unsafe(randomPercent(4))} as random_percent
      from generate_series(1, ${prospects}::bigint) i`
  await owner`
    create temp table plan_mails as
    select i, n, begins_at + (array[0, 3, 7])[n] * interval '1 day' as at, c, random_percent, bounces and n = 1 as bounces,
           c * ${STEPS} + n as step, 2 * (c * ${STEPS} + n) + (i + n) % 2 as variant,
           -- One in fifty gets the last email from another mailbox.
           case when n = 3 and random_percent < 2 then mailbox % ${MAILBOXES} + 1 else mailbox end as mailbox, replies and replies_to = n as is_answered
      from plan, generate_series(1, case when bounces then 1 when replies then replies_to else ${STEPS} end) n
     where begins_at + (array[0, 3, 7])[n] * interval '1 day' < ${period} + interval '730 days'
     order by at`
  await owner`alter table plan_mails add k bigint generated always as identity`
  await owner`analyze plan_mails`
  await withoutIndexes(owner, ['persons', 'prospects'], async () => {
    await owner`
      insert into persons (account_id, id, first_name, email)
      select ${accountId}, ${toUuid(owner, 6, 'i')}, 'First' || i, 'person' || i || '@company' || i / 3 || '.example' from plan`
    await owner`
      insert into prospects (account_id, id, campaign_id, person_id, rep_id, mailbox_id, status, intent, steps_done, created_at, updated_at)
      select ${accountId}, ${toUuid(owner, 7, 'i')}, ${toUuid(owner, 3, 'c')}, ${toUuid(owner, 6, 'i')}, ${toUuid(owner, 1, `1 + mailbox % ${REPS}`)},
             ${toUuid(owner, 2, 'mailbox')}, case when bounces then 'bounced' when replies then 'replied' else 'completed' end,
             case when replies then (array['interested', 'question', 'not_now', 'objection'])[1 + random_percent % 4] end, 3, begins_at, begins_at
        from plan`
  })
  log('report: seeding messages')
  await withoutIndexes(owner, ['email_threads', 'email_messages', 'received_mails'], () =>
    seedMails(owner, accountId),
  )
  log('report: seeding other channels')
  await seedOtherChannels(owner, accountId)
  log('report: analyzing')
  await owner`vacuum analyze`
  await owner`reset session_replication_role`
  await owner`reset synchronous_commit`
  const [ids] = await owner<ReportIds[]>`
    select ${toUuid(owner, 3, '1')} as "campaignId", ${toUuid(owner, 1, '2')} as "repId"`
  return ids!
}

async function seedMails(owner: Sql, accountId: string): Promise<void> {
  await owner`
    insert into email_threads (account_id, id, subject, person_id, prospect_id, campaign_id, rep_id, mailbox_id)
    select ${accountId}, ${toUuid(owner, 8, 'i')}, 'Hello', ${toUuid(owner, 6, 'i')}, ${toUuid(owner, 7, 'i')}, ${toUuid(owner, 3, 'c')},
           ${toUuid(owner, 1, `1 + mailbox % ${REPS}`)}, ${toUuid(owner, 2, 'mailbox')}
      from plan`
  const columns = owner`
    account_id, id, thread_id, campaign_id, prospect_id, rep_id, mailbox_id, step_id, variant_id, type, status, subject, body,
    recipients, message_id, sent_at, is_last, previous_sent_at, is_irregular`
  const ids = owner`
    ${toUuid(owner, 8, 'i')}, ${toUuid(owner, 3, 'c')}, ${toUuid(owner, 7, 'i')}, ${toUuid(owner, 1, `1 + mailbox % ${REPS}`)}, ${toUuid(owner, 2, 'mailbox')}`
  const to = (address: string) =>
    owner.unsafe(`jsonb_build_object('to', jsonb_build_array(jsonb_build_object('email', ${address})))`)
  await owner`
    insert into email_messages (${columns})
    select ${accountId}, ${toUuid(owner, 9, 'k')}, ${ids}, ${toUuid(owner, 4, 'step')}, ${toUuid(owner, 5, 'variant')}, 'campaign', 'sent', 'Hello',
           repeat('We met last spring and I promised to write again. ', 6),
           ${to(`'person' || i || '@company' || i / 3 || '.example'`)}, '<' || k || '@acme.example>', at, n = 3,
           lag(at) over (partition by i order by n), mailbox <> first_value(mailbox) over (partition by i order by n)
      from plan_mails
     order by k`
  await owner`
    insert into email_messages (${columns})
    select ${accountId}, ${toUuid(owner, 10, 'k')}, ${ids}, null, null, 'received', 'sent', 'Re: Hello', 'Thank you, Tuesday suits me.',
           ${to(`'rep@acme.example'`)}, '<re' || k || '@company.example>', at + interval '1 day', false, null, false
      from plan_mails
     where is_answered or random_percent = 50 and n = 2
     order by k`
  await owner`
    insert into received_mails (account_id, id, fingerprint, mailbox_id, kind, bounce_class, about_id, campaign_id, prospect_id,
                                step_id, variant_id, rep_id, about_type, about_mailbox_id, recipient_domain, contacted_at, received_at)
    select ${accountId}, ${toUuid(owner, 10, 'k')}, sha256(k::text::bytea), ${toUuid(owner, 2, 'mailbox')},
           case when is_answered then 'reply' when bounces then 'bounce' when random_percent = 50 then 'auto_reply' else 'complaint' end,
           case when bounces and not is_answered then (array['hard', 'hard', 'soft', 'policy'])[1 + random_percent % 4] end,
           ${toUuid(owner, 9, 'k')}, ${toUuid(owner, 3, 'c')}, ${toUuid(owner, 7, 'i')}, ${toUuid(owner, 4, 'step')}, ${toUuid(owner, 5, 'variant')},
           ${toUuid(owner, 1, `1 + mailbox % ${REPS}`)}, 'campaign', ${toUuid(owner, 2, 'mailbox')}, 'company' || i / 3 || '.example', at,
           at + interval '1 day'
      from plan_mails
     where is_answered or bounces or random_percent = 50 and n = 2 or i % 1000 = 0 and n = 1`
}

/** Adds opt-outs, LinkedIn steps, calls and meetings. */
async function seedOtherChannels(owner: Sql, accountId: string): Promise<void> {
  const ids = owner`
    ${toUuid(owner, 1, `1 + mailbox % ${REPS}`)}, ${toUuid(owner, 7, 'i')}, ${toUuid(owner, 6, 'i')}, ${toUuid(owner, 3, 'c')}`
  await owner`
    insert into opt_outs (account_id, id, kind, value, source, email_message_id, created_at)
    select ${accountId}, ${toUuid(owner, 11, 'k')}, 'email', 'person' || i || '@company' || i / 3 || '.example', 'unsubscribe',
           ${toUuid(owner, 9, 'k')}, at + interval '1 hour'
      from plan_mails
     where n = 1 and i % 200 = 1`
  await owner`
    insert into tasks (account_id, id, rep_id, prospect_id, person_id, campaign_id, step_id, channel, status, due_at, ended_at)
    select ${accountId}, ${toUuid(owner, 12, 'k')}, ${ids}, ${toUuid(owner, 15, 'c')}, 'linkedin_connect', 'completed', at,
           at + interval '2 hours'
      from plan_mails
     where n = 2 and i % 20 = 0`
  await owner`
    insert into linkedin_connections (account_id, rep_id, person_id, invited_at, accepted_at)
    select ${accountId}, ${toUuid(owner, 1, `1 + mailbox % ${REPS}`)}, ${toUuid(owner, 6, 'i')}, at + interval '2 hours', at + interval '1 day'
      from plan_mails
     where n = 2 and i % 60 = 0`
  await owner`
    insert into calls (account_id, id, rep_id, prospect_id, person_id, campaign_id, step_id, attempt, from_number, to_number, call_type,
                       status, outcome, placed_at, started_at)
    select ${accountId}, ${toUuid(owner, 13, 'k')}, ${ids}, ${toUuid(owner, 16, 'c')}, 1, '+442079460018', '+442079460019', 'outbound', 'ended',
           case when random_percent < 30 then 'answered' else 'no_answer' end, at, at
      from plan_mails
     where n = 2 and i % 20 = 3`
  await owner`
    insert into meetings (account_id, id, rep_id, prospect_id, person_id, campaign_id, source, starts_at, booked_at)
    select ${accountId}, ${toUuid(owner, 14, 'k')}, ${ids}, 'manual', at + interval '4 days', at + interval '2 days'
      from plan_mails
     where is_answered and random_percent < 20`
}
