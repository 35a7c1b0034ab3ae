import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Caller, makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { inAccountTransaction, makeDesk } from '../../../../test/support/campaigns/inbox.ts'
import { lockQuota } from './quota.ts'

const now = new Date('2026-11-23T12:00:00Z')
const hours = (count: number) => new Date(now.getTime() + count * 3_600_000)

let app: TestApp
let owner: Caller
let mailboxId: string
beforeAll(async () => {
  app = await openTestApp()
  app.setNow(now)
  owner = await makeCaller(app)
  mailboxId = (await makeDesk(owner)).mailboxId
})
afterAll(() => app[Symbol.asyncDispose]())

type Settings = {
  cap?: number
  gapSeconds?: number
  ramp?: [start: number, increase: number, since: Date]
  /** A time on the last day on which the mailbox sent. */
  sentAt?: Date
  skipped?: number
}
type Expected = { capResetsAt: Date | null; remaining: number | null }

it.each<[what: string, settings: Settings, attemptsAt: number[], expected: Expected]>([
  ['is unlimited without a cap', {}, [-1, -2], { capResetsAt: null, remaining: null }],
  ['allows one email at a time with a gap', { gapSeconds: 60 }, [], { capResetsAt: null, remaining: 1 }],
  ['equals the cap when nothing was sent', { cap: 3 }, [], { capResetsAt: null, remaining: 3 }],
  [
    'is reduced by the emails of the last 24 hours',
    { cap: 3 },
    [-1, -23],
    { capResetsAt: null, remaining: 1 },
  ],
  ['ignores emails that were sent 24 hours ago', { cap: 3 }, [-24, -30], { capResetsAt: null, remaining: 3 }],
  [
    'is used up until the oldest email is a day old',
    { cap: 2 },
    [-1, -20],
    { capResetsAt: hours(4), remaining: 0 },
  ],
  [
    'stays used up after the cap is lowered',
    { cap: 1 },
    [-1, -20],
    { capResetsAt: hours(23), remaining: -1 },
  ],
  [
    'is below the cap at the start of a warm-up',
    { cap: 9, ramp: [2, 1, now] },
    [],
    { capResetsAt: null, remaining: 2 },
  ],
  [
    'grows after each day of a warm-up on which emails are sent',
    { cap: 9, ramp: [2, 3, hours(-49)], sentAt: hours(-2) },
    [],
    { capResetsAt: null, remaining: 8 },
  ],
  [
    'does not grow while nothing is sent',
    { cap: 9, ramp: [2, 3, hours(-999)] },
    [],
    { capResetsAt: null, remaining: 2 },
  ],
  [
    'grows once after a pause',
    { cap: 9, ramp: [2, 3, hours(-999)], sentAt: hours(-990) },
    [],
    { capResetsAt: null, remaining: 5 },
  ],
  [
    'is lower by the days that the warm-up stepped back',
    { cap: 9, ramp: [2, 3, hours(-49)], sentAt: hours(-2), skipped: 1 },
    [],
    { capResetsAt: null, remaining: 5 },
  ],
  [
    'is limited by the cap after a warm-up',
    { cap: 9, ramp: [2, 3, hours(-999)], sentAt: hours(-30) },
    [],
    { capResetsAt: null, remaining: 9 },
  ],
  [
    'is used up until the next day of a warm-up',
    { cap: 9, ramp: [1, 1, hours(-20)] },
    [-1],
    { capResetsAt: hours(4), remaining: 0 },
  ],
])('the quota %s', async (_what, { cap, gapSeconds = 0, ramp, sentAt, skipped }, attemptsAt, expected) => {
  const [start, increase, since] = ramp ?? []
  await app.owner`
    update mailboxes
       set daily_cap = ${cap ?? null}, min_gap_seconds = ${gapSeconds}, ramp_start = ${start ?? null},
           ramp_increase = ${increase ?? null}, ramp_since = ${since ?? null},
           ramp_sent_at = ${sentAt ?? null}, ramp_skipped = ${skipped ?? 0}
     where id = ${mailboxId}`
  await app.owner`delete from mailbox_attempts`
  for (const at of attemptsAt)
    await app.owner`
      insert into mailbox_attempts (account_id, mailbox_id, message_id, epoch, at)
      values (${owner.accountId}, ${mailboxId}, ${randomUUID()}, 1, ${hours(at)})`
  expect(await inAccountTransaction(app, owner, tx => lockQuota(tx, mailboxId, now))).toMatchObject(expected)
})
