import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { aCaller, type Caller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { aDesk, within } from '../../../../test/support/campaigns/inbox.ts'
import { lockQuota } from './quota.ts'

const now = new Date('2026-11-23T12:00:00Z')
const hours = (count: number) => new Date(now.getTime() + count * 3_600_000)

let app: TestApp
let owner: Caller
let mailboxId: string
beforeAll(async () => {
  app = await openTestApp()
  app.setNow(now)
  owner = await aCaller(app)
  mailboxId = (await aDesk(owner)).mailboxId
})
afterAll(() => app[Symbol.asyncDispose]())

type Settings = { cap?: number; gapSeconds?: number; ramp?: [start: number, increase: number, since: Date] }
type Expected = { capResetsAt: Date | null; remaining: number | null }

it.each<[what: string, settings: Settings, attemptsAt: number[], expected: Expected]>([
  ['is unlimited without a cap', {}, [-1, -2], { capResetsAt: null, remaining: null }],
  ['allows one mail at a time with a gap', { gapSeconds: 60 }, [], { capResetsAt: null, remaining: 1 }],
  ['equals the cap when nothing was sent', { cap: 3 }, [], { capResetsAt: null, remaining: 3 }],
  [
    'is reduced by the mails of the last 24 hours',
    { cap: 3 },
    [-1, -23],
    { capResetsAt: null, remaining: 1 },
  ],
  ['ignores mails that were sent 24 hours ago', { cap: 3 }, [-24, -30], { capResetsAt: null, remaining: 3 }],
  [
    'is used up until the oldest mail is a day old',
    { cap: 2 },
    [-1, -20],
    { capResetsAt: hours(4), remaining: 0 },
  ],
  ['stays used up above a lowered cap', { cap: 1 }, [-1, -20], { capResetsAt: hours(23), remaining: -1 }],
  [
    'is below the cap at the start of a warm-up',
    { cap: 9, ramp: [2, 1, now] },
    [],
    { capResetsAt: null, remaining: 2 },
  ],
  [
    'grows each day of a warm-up',
    { cap: 9, ramp: [2, 3, hours(-49)] },
    [],
    { capResetsAt: null, remaining: 8 },
  ],
  [
    'is limited by the cap after a warm-up',
    { cap: 9, ramp: [2, 3, hours(-999)] },
    [],
    { capResetsAt: null, remaining: 9 },
  ],
  [
    'is used up until the next day of a warm-up',
    { cap: 9, ramp: [1, 1, hours(-20)] },
    [-1],
    { capResetsAt: hours(4), remaining: 0 },
  ],
])('the quota %s', async (_what, { cap, gapSeconds = 0, ramp }, attemptsAt, expected) => {
  const [start, increase, since] = ramp ?? []
  await app.owner`
    update mailboxes
       set daily_cap = ${cap ?? null}, min_gap_seconds = ${gapSeconds}, ramp_start = ${start ?? null},
           ramp_increase = ${increase ?? null}, ramp_since = ${since ?? null}
     where id = ${mailboxId}`
  await app.owner`delete from mailbox_attempts`
  for (const at of attemptsAt)
    await app.owner`
      insert into mailbox_attempts (account_id, mailbox_id, message_id, epoch, at)
      values (${owner.accountId}, ${mailboxId}, ${randomUUID()}, 1, ${hours(at)})`
  expect(await within(app, owner, tx => lockQuota(tx, mailboxId, now))).toMatchObject(expected)
})
