import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { randomFrom } from '../../../../test/support/random.ts'
import { reportGroups } from '../../../contract/reports.ts'
import type { Sql } from '../../kernel/db/database.ts'

type Ids = string[]
/** An email, invitation or call that reached a prospect. */
type Contact = {
  isEmail: boolean
  prospect: string
  campaign: string | null
  step: string
  variant: string | null
  rep: string
  mailbox: string | null
  domain: string | null
  intent: string | null
  at: Date
}

let app: TestApp
let owner: Caller
let repIds: Ids
let mailboxIds: Ids
let campaignIds: Ids
let contacts: Contact[]
const emailIds: Ids = []
const random = randomFrom('REPORT_SEED')
const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!
const pickEmails = () => Array.from({ length: 10 }, () => pick(emailIds))
const outcomeCount = 400
const [from, to, timezone] = ['2026-10-10', '2026-10-20', 'Asia/Kathmandu']
/** Picks one of only a few times, so that some emails have the same time. */
const pickTime = () =>
  new Date(Date.UTC(2026, 9, 5 + Math.floor(random() * 20), 3 * Math.floor(random() * 8)))

const change = (set: string) => app.owner`
  update email_messages set ${app.owner.unsafe(set)}
   where account_id = ${owner.accountId} and id = any(${pickEmails()}::uuid[])`

/** Creates emails of two campaigns to 16 prospects in random order, changes some, and adds invitations and calls. */
beforeAll(async () => {
  app = await openTestApp()
  owner = await makeCaller(app)
  const { accountId } = owner
  const names = ['1', '2']
  const make = (create: (name: string) => Promise<{ id: string }>) =>
    Promise.all(names.map(async name => (await create(name)).id))
  repIds = await make(name => owner.call('createRep', { name }))
  mailboxIds = await make(name =>
    owner.call('createMailbox', { repId: repIds[0]!, kind: 'sandbox', email: `${name}@acme.example` }),
  )
  campaignIds = await make(name => owner.call('createCampaign', { name, repIds: [repIds[0]!] }))
  const data = Array.from({ length: 8 }, (_, n) => ({ firstName: 'A', email: `a${n}@one.example` }))
  for (const campaignId of campaignIds) await owner.call('addProspectsToCampaign', { campaignId, data })
  await app.owner`
    update prospects set intent = (array['interested', 'question', null])[1 + abs(hashtext(id::text)) % 3] where account_id = ${accountId}`
  const prospects = await app.owner<{ id: string; campaignId: string; personId: string }[]>`
    select id, campaign_id as "campaignId", person_id as "personId" from prospects where account_id = ${accountId}`
  const steps = Array.from({ length: 6 }, () => randomUUIDv7())
  for (let n = 0; n < outcomeCount; n++) {
    const { id, campaignId, personId } = pick(prospects)
    const step = pick(steps)
    const kind = random()
    if (kind < 0.08)
      await app.owner`
        insert into tasks (account_id, id, rep_id, prospect_id, person_id, campaign_id, step_id, channel, status, due_at, ended_at)
        values (${accountId}, ${randomUUIDv7()}, ${pick(repIds)}, ${id}, ${personId}, ${campaignId}, ${step}, 'linkedin_connect',
                'completed', now(), ${pickTime()})
            on conflict do nothing`
    else if (kind < 0.16)
      await app.owner`
        insert into calls (account_id, id, rep_id, prospect_id, person_id, from_number, to_number, call_type, status, placed_at)
        values (${accountId}, ${randomUUIDv7()}, ${pick(repIds)}, ${id}, ${personId}, '+442079460018', '+442079460019', 'outbound',
                'dialing', ${pickTime()})`
    else {
      const [threadId, messageId] = [randomUUIDv7(), randomUUIDv7()]
      emailIds.push(messageId)
      const recipients = { to: [{ email: `ada@${pick(['one', 'one', 'one', 'two'])}.example` }] }
      await app.owner`insert into email_threads (account_id, id, subject) values (${accountId}, ${threadId}, 'Hi')`
      await app.owner`
        insert into email_messages (account_id, id, thread_id, campaign_id, prospect_id, rep_id, mailbox_id, step_id, variant_id, type,
                                    status, subject, body, recipients, message_id, sent_at)
        values (${accountId}, ${messageId}, ${threadId}, ${campaignId}, ${id}, ${pick(repIds)}, ${pick(mailboxIds)}, ${step},
                ${pick(steps)}, 'campaign', ${pick(['sent', null])}, 'Hi', 'Hello', ${app.owner.json(recipients)},
                ${`<${messageId}@acme.example>`}, ${pickTime()})`
    }
  }
  await change(`status = 'sent', sent_at = sent_at + interval '1 day'`)
  await change(`status = null, is_last = false`)
  await change(`sent_at = sent_at - interval '2 days'`)
  await change(`sent_at = sent_at + interval '15 days'`)
  await change(`mailbox_id = '${mailboxIds[0]}', recipients = '{"to": [{"email": "ada@three.example"}]}'`)
  await change(`prospect_id = '${prospects[0]!.id}', campaign_id = '${prospects[0]!.campaignId}'`)
  await app.owner`
    delete from email_messages where account_id = ${accountId} and id = any(${pickEmails()}::uuid[])`
  contacts = await app.owner<Contact[]>`
    select c.*, p.intent
      from (select true as "isEmail", prospect_id as prospect, campaign_id as campaign, step_id as step, variant_id as variant,
                   rep_id as rep, mailbox_id as mailbox, lower(split_part(recipients #>> '{to,0,email}', '@', 2)) as domain, sent_at as at
              from email_messages where account_id = ${accountId} and type = 'campaign' and status = 'sent'
            union all
            select false, prospect_id, campaign_id, step_id, null, rep_id, null, null, ended_at from tasks where account_id = ${accountId}
            union all
            select false, prospect_id, campaign_id, step_id, null, rep_id, null, null, placed_at from calls where account_id = ${accountId}) c
      join prospects p on p.id = c.prospect`
})
afterAll(() => app[Symbol.asyncDispose]())

const getDate = (at: Date) =>
  Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timezone).toPlainDate()

const getKey = (contact: Contact, groupBy: (typeof reportGroups)[number]): string | null => {
  const date = getDate(contact.at)
  if (groupBy === 'day') return date.toString()
  if (groupBy === 'week') return date.subtract({ days: date.dayOfWeek - 1 }).toString()
  return groupBy === 'recipientDomain' ? contact.domain : contact[groupBy]
}

const count = (group: Contact[]) => ({
  sent: group.filter(({ isEmail }) => isEmail).length,
  contacted: new Set(group.map(({ prospect }) => prospect)).size,
})

/** Recounts `sent` and `contacted` by key, with `total`. */
function recount(groupBy: (typeof reportGroups)[number], isCounted: (contact: Contact) => boolean) {
  const counted = contacts.filter(contact => {
    const date = getDate(contact.at).toString()
    return date >= from && date <= to && isCounted(contact)
  })
  const groups = Map.groupBy(counted, contact => getKey(contact, groupBy) ?? undefined)
  return new Map<string | undefined, { sent: number; contacted: number }>([
    ['total', count(counted)],
    ...[...groups].map(([key, group]) => [key, count(group)] as const),
  ])
}

describe.each(reportGroups)('a report by %s', groupBy => {
  it.each(['all', 'campaignId', 'repId', 'mailboxId'] as const)(
    'counts each person once in the total and in each group (%s)',
    async filter => {
      const ids = { all: [], campaignId: campaignIds, repId: repIds, mailboxId: mailboxIds }[filter]
      const id = ids[0]
      const isCounted = ({ campaign, rep, mailbox }: Contact) =>
        filter === 'all' || { campaignId: campaign, repId: rep, mailboxId: mailbox }[filter] === id
      const report = await owner.call('getReport', {
        ...{ from, to, timezone, groupBy, ...(id && { [filter]: id }) },
      })
      const found = [{ ...report.total, key: 'total' }, ...report.data]
        .filter(({ sent, contacted }) => sent + contacted > 0)
        .map(({ key, sent, contacted }) => [key, { sent, contacted }] as const)
      expect(new Map(found)).toEqual(recount(groupBy, isCounted))
    },
  )
})

it('each email refers to the previous email to its prospect, even when emails change', async () => {
  const mismatches = await app.owner`
    select * from (
      select previous_sent_at, lag(sent_at) over (partition by prospect_id order by sent_at, id) as expected
        from email_messages
       where account_id = ${owner.accountId} and type = 'campaign' and status = 'sent') e
     where previous_sent_at is distinct from expected`
  expect([...mismatches]).toEqual([])
})

it('emails to a prospect that are recorded as sent at the same time are put in order', async () => {
  const { accountId } = owner
  const [prospect] = await app.owner<{ id: string }[]>`
    insert into prospects (account_id, id, campaign_id, person_id, is_duplicate)
    select account_id, ${randomUUIDv7()}, campaign_id, person_id, true from prospects where account_id = ${accountId} limit 1
    returning id`
  const ids = [randomUUIDv7(), randomUUIDv7()] as const
  for (const id of ids)
    await app.owner`
      insert into email_messages (account_id, id, thread_id, campaign_id, prospect_id, type, subject, body, recipients, message_id, sent_at)
      select ${accountId}, ${id}, m.thread_id, m.campaign_id, ${prospect!.id}, 'campaign', 'Hi', 'Hello', '{"to": []}', ${id}, now()
        from email_messages m where m.account_id = ${accountId} and m.type = 'campaign' limit 1`
  const markSent = (sql: Sql, id: string) => sql`
    update email_messages set status = 'sent' where account_id = ${accountId} and id = ${id}`
  let second: Promise<unknown> | undefined
  await app.owner.begin(async tx => {
    await markSent(tx, ids[0])
    second = app.owner.begin(other => markSent(other, ids[1]))
    const countWaiting = async () => {
      const [row] = await tx<[{ count: number }]>`
        select count(*)::int as count from pg_locks where not granted and locktype = 'advisory'
           and database = (select oid from pg_database where datname = current_database())`
      return row.count
    }
    await expect.poll(countWaiting).toBe(1)
  })
  await second
  const emails = await app.owner<{ isFirst: boolean }[]>`
    select previous_sent_at is null as "isFirst" from email_messages where id = any(${[...ids]}::uuid[]) order by sent_at, id`
  expect(emails.map(({ isFirst }) => isFirst)).toEqual([true, false])
})
