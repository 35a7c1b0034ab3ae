import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Caller, makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { inAccountTransaction, makeDesk } from '../../../../test/support/campaigns/inbox.ts'
import { createRandom } from '../../../../test/support/random.ts'
import { lockQuota } from '../mailboxes/quota.ts'
import { readWork } from './read-work.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const now = new Date('2026-11-23T12:00:00Z')

let app: TestApp
let owner: Caller
let mailboxId: string
let campaignId: string
beforeAll(async () => {
  app = await openTestApp()
  app.setNow(now)
  owner = await makeCaller(app)
  const desk = await makeDesk(owner)
  mailboxId = desk.mailboxId
  campaignId = (await owner.call('createCampaign', { name: 'Spring', repIds: [desk.repId] })).id
})
afterAll(() => app[Symbol.asyncDispose]())

it('a simulated mailbox has the same quota as the stored mailbox, now and later, for any caps and attempts', async () => {
  const random = createRandom(11)
  const upTo = (max: number) => 1 + Math.floor(random() * max)
  for (let round = 0; round < 25; round++) {
    const [cap, start, increase] = random() < 0.8 ? [upTo(9), upTo(3), upTo(3)] : [null, null, null]
    const since = random() < 0.5 && cap ? new Date(now.getTime() - random() * 3 * DAY_MS) : null
    const sentAt =
      since && random() < 0.7
        ? new Date(since.getTime() + random() * (now.getTime() - since.getTime()))
        : null
    // The warm-up cannot step back by more days than it lasted until the last day with emails.
    const sentOn = sentAt ? Math.floor((sentAt.getTime() - since!.getTime()) / DAY_MS) : 0
    const skipped = Math.floor(random() * (sentOn + 1))
    await app.owner`
      update mailboxes
         set ramp_sent_at = ${sentAt}, ramp_skipped = ${skipped}, daily_cap = ${cap}, ramp_start = ${since && start}, ramp_increase = ${since && increase}, ramp_since = ${since}
       where id = ${mailboxId}`
    await app.owner`delete from mailbox_attempts`
    for (let count = upTo(12); count > 0; count--)
      await app.owner`
        insert into mailbox_attempts (account_id, mailbox_id, message_id, epoch, at)
        values (${owner.accountId}, ${mailboxId}, ${randomUUID()}, 1, ${new Date(now.getTime() - random() * 1.2 * DAY_MS)})`
    const work = await inAccountTransaction(app, owner, sql =>
      readWork({ ...owner.context, sql }, campaignId, 30),
    )
    const [simulated] = work.campaign.mailboxes
    for (const days of [0, 0.3, 0.9, 1.4, 2.5, 8]) {
      const at = new Date(now.getTime() + days * DAY_MS)
      const stored = await inAccountTransaction(app, owner, tx => lockQuota(tx, mailboxId, at))
      const quota = simulated!.getQuota(at.getTime())
      expect(quota.remaining, `${round}: after ${days} days`).toBe(
        stored.remaining ?? Number.POSITIVE_INFINITY,
      )
      // Attempts are counted by the minute.
      const difference = (quota.capResetsAt?.getTime() ?? 0) - (stored.capResetsAt?.getTime() ?? 0)
      expect(Math.abs(difference)).toBeLessThanOrEqual(MINUTE_MS)
    }
  }
})
