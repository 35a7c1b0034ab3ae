import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { aDueCampaign, type Sender } from '../../../../test/support/campaigns/due-campaign.ts'
import { anEmail, aThread, within } from '../../../../test/support/campaigns/inbox.ts'
import { pauseNewProspects } from '../campaigns/new-prospect-limit.ts'
import { claimSends } from '../outbox/claim-sends.ts'
import { commitDotPending, queueSend } from '../outbox/sends.ts'
import { claimDueProspects } from './claim-prospects.ts'

const LEASE_MS = 30_000
const now = new Date('2026-11-23T12:00:00.000Z')
const later = (ms: number) => new Date(now.getTime() + ms)

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
  app.setNow(now)
})
/** What one test leaves due is not for the next. */
afterEach(() => app.owner`update campaigns set status = 'paused' where status = 'active'`)
afterAll(() => app[Symbol.asyncDispose]())

const aCampaign = (people = 1, place?: Sender) => aDueCampaign(app, people, place)
const aBegunCampaign = (people = 1, place?: Sender) => aDueCampaign(app, people, place, { haveBegun: true })

const onTheirWay = async (owner: Caller, mailboxId: string, mails: number, dueAt: Date) => {
  for (let n = 0; n < mails; n++) {
    const threadId = await aThread(app, owner)
    const messageId = await anEmail(app, owner, { threadId, status: null, deliveryStatus: 'queued' })
    const send = { messageId, mailboxId, recipientEmails: ['bob@bone.example'], dueAt }
    await within(app, owner, tx => queueSend(tx, send))
  }
}

const claims = (at: Date, { limit = 100, perMailbox = 50 } = {}) =>
  claimDueProspects(app.db.engine, { now: at, limit, perMailbox, leaseMs: LEASE_MS })
const claimed = async (at = now, more = {}) => (await claims(at, more)).map(({ id }) => id).sort()

describe.each([
  ['who got nothing yet', aCampaign],
  ['who has begun', aBegunCampaign],
])('a prospect %s', (_who, aCampaignOf) => {
  it('is claimed once its step is due, and by nobody else until the lease ends', async () => {
    const { ids, owner } = await aCampaignOf(1)
    const [id] = ids
    expect(await claimed(later(-1_001))).toEqual([])
    expect(await claims(later(-1_000))).toEqual([{ accountId: owner.accountId, id, epoch: 1n }])
    expect(await claimed(later(LEASE_MS - 1_001))).toEqual([])
    expect(await claims(later(LEASE_MS - 1_000))).toEqual([{ accountId: owner.accountId, id, epoch: 2n }])
  })

  it('is not claimed early because somebody before it is due', async () => {
    const { ids } = await aCampaignOf(2)
    expect(await claimed(later(-1_001))).toEqual([ids[0]])
  })

  it('is claimed by one of those that ask at once', async () => {
    const { ids } = await aCampaignOf(20)
    const asked = await Promise.all(Array.from({ length: 4 }, () => claimed(now, { limit: 7 })))
    const all = [...asked.flat(), ...(await claimed())]
    expect(all.sort()).toEqual(ids.sort())
  })

  it('that something else is at work on holds up none of the others', async () => {
    const [[held], [free]] = [(await aCampaignOf(1)).ids, (await aCampaignOf(1)).ids]
    await app.owner.begin(async tx => {
      await tx`select from prospects where id = ${held!} for update`
      expect(await claimed()).toEqual([free])
    })
    expect(await claimed()).toEqual([held])
  })

  it.each([
    ['pending', true],
    ['active', true],
    ['out_of_office', true],
    ['paused', false],
    ['replied', false],
    ['completed', false],
    ['bounced', false],
    ['opted_out', false],
    ['failed', false],
  ])('and is %s is claimed: %s', async (status, isClaimed) => {
    const { ids } = await aCampaignOf(1)
    await app.owner`update prospects set status = ${status} where id = ${ids[0]!}`
    expect(await claimed()).toEqual(isClaimed ? ids : [])
  })

  it('with nothing left to get is left alone', async () => {
    const { ids } = await aCampaignOf(1)
    await app.owner`update prospects set next_step_at = null where id = ${ids[0]!}`
    expect(await claimed()).toEqual([])
  })

  it('waits while the campaign is paused', async () => {
    const { owner, campaignId, ids } = await aCampaignOf(1)
    await owner.call('pauseCampaign', { campaignId })
    expect(await claimed()).toEqual([])
    await owner.call('resumeCampaign', { campaignId })
    expect(await claimed()).toEqual(ids)
  })

  it.each(['full_until', 'rests_until', 'retry_at'])('waits for the %s of the mailbox', async column => {
    const { mailboxId, ids } = await aCampaignOf(1)
    await app.owner`update mailboxes set ${app.owner.identifier(column)} = ${later(60_000)} where id = ${mailboxId}`
    expect(await claimed(later(59_999))).toEqual([])
    expect(await claimed(later(60_000))).toEqual(ids)
  })

  it('whose mailbox rests between mails is claimed alone, the one that waits longest', async () => {
    const { mailboxId, ids } = await aCampaignOf(3)
    await app.owner`update mailboxes set min_gap_seconds = 60 where id = ${mailboxId}`
    expect(await claimed()).toEqual([ids[0]])
  })

  it.each([
    ['fails', { status: 'failing', removed_at: null }],
    ['was removed', { status: 'active', removed_at: now }],
  ])('whose mailbox %s is looked at alone, to learn of it', async (_what, fault) => {
    const { mailboxId, ids } = await aCampaignOf(3)
    await app.owner`update mailboxes set ${app.owner.assignments(fault)} where id = ${mailboxId}`
    expect(await claimed()).toEqual([ids[0]])
  })

  it('is claimed as its mailbox has room beside what is on its way', async () => {
    const { owner, mailboxId, ids } = await aCampaignOf(5)
    await onTheirWay(owner, mailboxId, 3, later(-5_000))
    const ways = { now, limit: 2, perMailbox: 2, leaseMs: LEASE_MS }
    const [released] = (await claimSends(app.db.engine, ways)).filter(send => send.mailboxId === mailboxId)
    await within(app, owner, tx => commitDotPending(tx, [released!], later(LEASE_MS)))
    expect(await claimed(now, { perMailbox: 3 })).toEqual([])
    expect(await claimed(now, { perMailbox: 5 })).toEqual(ids.slice(0, 2).sort())
  })

  it.each([0, 60])('waits for no mail that is tried again in hours (gap: %s s)', async minGapSeconds => {
    const { owner, mailboxId, ids } = await aCampaignOf(2)
    await app.owner`update mailboxes set min_gap_seconds = ${minGapSeconds} where id = ${mailboxId}`
    await onTheirWay(owner, mailboxId, 1, later(90_000))
    expect(await claimed(later(30_000), { perMailbox: 1 })).toEqual([])
    expect(await claimed(later(29_999), { perMailbox: 1 })).toEqual([ids[0]])
  })

  it('waits once too many mails of its mailbox are to be tried again', async () => {
    const { owner, mailboxId, ids } = await aCampaignOf(5)
    await onTheirWay(owner, mailboxId, 20, later(4 * 3_600_000))
    expect(await claimed(now, { perMailbox: 1 })).toEqual([])
    expect(await claimed(now, { perMailbox: 2 })).toEqual(ids.slice(0, 2).sort())
  })

  it('waits longest and is claimed first', async () => {
    const { ids } = await aCampaignOf(5)
    expect(await claimed(now, { limit: 2 })).toEqual(ids.slice(0, 2).sort())
    expect(await claimed(now, { limit: 2 })).toEqual(ids.slice(2, 4).sort())
  })

  it('of a small campaign is not kept waiting by a huge one, of the same account or another', async () => {
    const huge = await aCampaignOf(20)
    const small = [await aCampaignOf(2), await aCampaignOf(2, huge)].flatMap(({ ids }) => ids)
    const taken = await claimed(now, { limit: 12 })
    expect(taken.length).toBeLessThanOrEqual(12)
    expect(taken.filter(id => small.includes(id))).toHaveLength(4)
  })
})

it('nobody begins before the campaign may begin somebody again, and who has begun goes on', async () => {
  const { owner, campaignId, ids } = await aCampaign(2)
  const begun = await aBegunCampaign(1)
  const tomorrow = later(24 * 3_600_000)
  for (const one of [{ owner, campaignId }, begun])
    await within(app, one.owner, tx => pauseNewProspects(tx, one.campaignId, tomorrow))
  expect(await claimed()).toEqual(begun.ids)
  expect(await claimed(tomorrow)).toEqual([...ids, ...begun.ids].sort())
})

it.each([
  ['has room', {}],
  ['is full', { full_until: later(60_000) }],
])(
  'those whose rep was taken off the campaign are claimed one by one, though their mailbox %s',
  async (_what, state) => {
    const { owner, campaignId, mailboxId, ids } = await aBegunCampaign(3)
    const { id: other } = await owner.call('createRep', { name: 'Mary' })
    await owner.call('createMailbox', { repId: other, kind: 'sandbox', email: 'mary@acme.example' })
    await owner.call('updateCampaign', { campaignId, repIds: [other] })
    await app.owner`update mailboxes set ${app.owner.assignments({ min_gap_seconds: 0, ...state })} where id = ${mailboxId}`
    expect(await claimed()).toEqual([ids[0]])
  },
)

it('nobody begins for a mailbox that does not work while those that do are full', async () => {
  const { owner, repId, mailboxId } = await aCampaign(1)
  const other = await owner.call('createMailbox', { repId, kind: 'sandbox', email: 'eve@acme.example' })
  await app.owner`update mailboxes set status = 'failing' where id = ${other.id}`
  await app.owner`update mailboxes set full_until = ${later(60_000)} where id = ${mailboxId}`
  expect(await claimed()).toEqual([])
})
