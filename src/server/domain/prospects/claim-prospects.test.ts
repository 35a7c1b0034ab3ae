import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { makeDueCampaign, type Sender } from '../../../../test/support/campaigns/due-campaign.ts'
import { inAccountTransaction, makeEmail, makeThread } from '../../../../test/support/campaigns/inbox.ts'
import { pauseNewProspects } from '../campaigns/new-prospect-limit.ts'
import { claimSends } from '../outbox/claim-sends.ts'
import { commitDotPending, queueSend } from '../outbox/sends.ts'
import { markStepsInFlight, revertStep } from './advance-prospects.ts'
import { claimDueProspects } from './claim-prospects.ts'

const LEASE_MS = 30_000
const now = new Date('2026-11-23T12:00:00.000Z')
const nowPlus = (ms: number) => new Date(now.getTime() + ms)

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
  app.setNow(now)
})
/** Prospects that one test leaves due must not be claimed in the next. */
afterEach(() => app.owner`update campaigns set status = 'paused' where status = 'active'`)
afterAll(() => app[Symbol.asyncDispose]())

const makeCampaign = (people = 1, sender?: Sender) => makeDueCampaign(app, people, sender)
const makeStartedCampaign = (people = 1, sender?: Sender) =>
  makeDueCampaign(app, people, sender, { haveBegun: true })

const queueEmails = async (owner: Caller, mailboxId: string, count: number, dueAt: Date) => {
  for (let n = 0; n < count; n++) {
    const threadId = await makeThread(app, owner)
    const messageId = await makeEmail(app, owner, { threadId, status: null, deliveryStatus: 'queued' })
    const send = { messageId, mailboxId, recipientEmails: ['bob@bone.example'], dueAt }
    await inAccountTransaction(app, owner, tx => queueSend(tx, send))
  }
}

const claim = (at: Date, { limit = 100, perMailbox = 50 } = {}) =>
  claimDueProspects(app.db.engine, { now: at, limit, perMailbox, leaseMs: LEASE_MS })
const claimIds = async (at = now, more = {}) => (await claim(at, more)).map(({ id }) => id).sort()

describe.each([
  ['not contacted yet', makeCampaign],
  ['in progress', makeStartedCampaign],
])('a prospect %s', (_state, makeCampaignWith) => {
  it('is claimed once its step is due, and not again until the lease ends', async () => {
    const { ids, owner } = await makeCampaignWith(1)
    const [id] = ids
    expect(await claimIds(nowPlus(-1_001))).toEqual([])
    expect(await claim(nowPlus(-1_000))).toEqual([{ accountId: owner.accountId, id, epoch: 1n }])
    expect(await claimIds(nowPlus(LEASE_MS - 1_001))).toEqual([])
    expect(await claim(nowPlus(LEASE_MS - 1_000))).toEqual([{ accountId: owner.accountId, id, epoch: 2n }])
  })

  it('is not claimed early just because another prospect is already due', async () => {
    const { ids } = await makeCampaignWith(2)
    expect(await claimIds(nowPlus(-1_001))).toEqual([ids[0]])
  })

  it('is claimed once by concurrent calls', async () => {
    const { ids } = await makeCampaignWith(20)
    const batches = await Promise.all(Array.from({ length: 4 }, () => claimIds(now, { limit: 7 })))
    const all = [...batches.flat(), ...(await claimIds())]
    expect(all.sort()).toEqual(ids.sort())
  })

  it("doesn't delay other prospects while it is locked", async () => {
    const [[held], [free]] = [(await makeCampaignWith(1)).ids, (await makeCampaignWith(1)).ids]
    await app.owner.begin(async tx => {
      await tx`select from prospects where id = ${held!} for update`
      expect(await claimIds()).toEqual([free])
    })
    expect(await claimIds()).toEqual([held])
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
  ])('is claimed if its status is %s: %s', async (status, isClaimed) => {
    const { ids } = await makeCampaignWith(1)
    await app.owner`update prospects set status = ${status} where id = ${ids[0]!}`
    expect(await claimIds()).toEqual(isClaimed ? ids : [])
  })

  it('is not claimed without a next step', async () => {
    const { ids } = await makeCampaignWith(1)
    await app.owner`update prospects set next_step_at = null where id = ${ids[0]!}`
    expect(await claimIds()).toEqual([])
  })

  it('is not claimed while the campaign is paused', async () => {
    const { owner, campaignId, ids } = await makeCampaignWith(1)
    await owner.call('pauseCampaign', { campaignId })
    expect(await claimIds()).toEqual([])
    await owner.call('resumeCampaign', { campaignId })
    expect(await claimIds()).toEqual(ids)
  })

  it.each(['cap_resets_at', 'gap_ends_at', 'retry_at'])(
    'is not claimed before the %s of its mailbox',
    async column => {
      const { mailboxId, ids } = await makeCampaignWith(1)
      await app.owner`update mailboxes set ${app.owner.identifier(column)} = ${nowPlus(60_000)} where id = ${mailboxId}`
      expect(await claimIds(nowPlus(59_999))).toEqual([])
      expect(await claimIds(nowPlus(60_000))).toEqual(ids)
    },
  )

  it('is claimed alone, longest due first, if its mailbox has a gap between emails', async () => {
    const { mailboxId, ids } = await makeCampaignWith(3)
    await app.owner`update mailboxes set min_gap_seconds = 60 where id = ${mailboxId}`
    expect(await claimIds()).toEqual([ids[0]])
  })

  it.each([
    ['is failing', { status: 'failing', removed_at: null }],
    ['was removed', { status: 'active', removed_at: now }],
  ])('is claimed alone if its mailbox %s', async (_what, error) => {
    const { mailboxId, ids } = await makeCampaignWith(3)
    await app.owner`update mailboxes set ${app.owner.assignments(error)} where id = ${mailboxId}`
    expect(await claimIds()).toEqual([ids[0]])
  })

  it('is claimed only within the capacity that emails in flight do not use', async () => {
    const { owner, mailboxId, ids } = await makeCampaignWith(5)
    await queueEmails(owner, mailboxId, 3, nowPlus(-5_000))
    const options = { now, limit: 2, perMailbox: 2, leaseMs: LEASE_MS }
    const [released] = (await claimSends(app.db.engine, options)).filter(send => send.mailboxId === mailboxId)
    await inAccountTransaction(app, owner, tx => commitDotPending(tx, [released!], nowPlus(LEASE_MS)))
    expect(await claimIds(now, { perMailbox: 3 })).toEqual([])
    expect(await claimIds(now, { perMailbox: 5 })).toEqual(ids.slice(0, 2).sort())
  })

  it.each([0, 60])(
    'is not delayed by an email that is retried much later (gap: %s s)',
    async minGapSeconds => {
      const { owner, mailboxId, ids } = await makeCampaignWith(2)
      await app.owner`update mailboxes set min_gap_seconds = ${minGapSeconds} where id = ${mailboxId}`
      await queueEmails(owner, mailboxId, 1, nowPlus(90_000))
      expect(await claimIds(nowPlus(30_000), { perMailbox: 1 })).toEqual([])
      expect(await claimIds(nowPlus(29_999), { perMailbox: 1 })).toEqual([ids[0]])
    },
  )

  it('is not claimed while too many emails of its mailbox are queued for a retry', async () => {
    const { owner, mailboxId, ids } = await makeCampaignWith(5)
    await queueEmails(owner, mailboxId, 20, nowPlus(4 * 3_600_000))
    expect(await claimIds(now, { perMailbox: 1 })).toEqual([])
    expect(await claimIds(now, { perMailbox: 2 })).toEqual(ids.slice(0, 2).sort())
  })

  it('is claimed before others if it has been due longest', async () => {
    const { ids } = await makeCampaignWith(5)
    expect(await claimIds(now, { limit: 2 })).toEqual(ids.slice(0, 2).sort())
    expect(await claimIds(now, { limit: 2 })).toEqual(ids.slice(2, 4).sort())
  })

  it('is not delayed by a huge campaign of the same account or another', async () => {
    const huge = await makeCampaignWith(20)
    const small = [await makeCampaignWith(2), await makeCampaignWith(2, huge)].flatMap(({ ids }) => ids)
    const ids = await claimIds(now, { limit: 12 })
    expect(ids.length).toBeLessThanOrEqual(12)
    expect(ids.filter(id => small.includes(id))).toHaveLength(4)
  })
})

it('while a campaign may start no new prospects, only those in progress are claimed', async () => {
  const { owner, campaignId, ids } = await makeCampaign(2)
  const started = await makeStartedCampaign(1)
  const tomorrow = nowPlus(24 * 3_600_000)
  for (const one of [{ owner, campaignId }, started])
    await inAccountTransaction(app, one.owner, tx => pauseNewProspects(tx, one.campaignId, tomorrow))
  expect(await claimIds()).toEqual(started.ids)
  expect(await claimIds(tomorrow)).toEqual([...ids, ...started.ids].sort())
})

it('a prospect whose first step was withdrawn is claimed while the campaign may start no new prospects', async () => {
  const { owner, campaignId, repId, mailboxId, ids } = await makeCampaign(3)
  const [withdrawn] = ids
  await inAccountTransaction(app, owner, async tx => {
    await markStepsInFlight(tx, [{ prospectId: withdrawn!, repId, mailboxId }], now)
    await pauseNewProspects(tx, campaignId, nowPlus(24 * 3_600_000))
    await revertStep(tx, withdrawn!, now)
  })
  expect(await claimIds()).toEqual([withdrawn])
})

it.each([
  ['is below its cap', {}],
  ['has reached its cap', { cap_resets_at: nowPlus(60_000) }],
])(
  'prospects whose rep was removed from the campaign are claimed one at a time even if their mailbox %s',
  async (_what, state) => {
    const { owner, campaignId, mailboxId, ids } = await makeStartedCampaign(3)
    const { id: other } = await owner.call('createRep', { name: 'Mary' })
    await owner.call('createMailbox', { repId: other, kind: 'sandbox', email: 'mary@acme.example' })
    await owner.call('updateCampaign', { campaignId, repIds: [other] })
    await app.owner`update mailboxes set ${app.owner.assignments({ min_gap_seconds: 0, ...state })} where id = ${mailboxId}`
    expect(await claimIds()).toEqual([ids[0]])
  },
)

it('no new prospect is claimed for a failing mailbox while the working ones have reached their cap', async () => {
  const { owner, repId, mailboxId } = await makeCampaign(1)
  const other = await owner.call('createMailbox', { repId, kind: 'sandbox', email: 'eve@acme.example' })
  await app.owner`update mailboxes set status = 'failing' where id = ${other.id}`
  await app.owner`update mailboxes set cap_resets_at = ${nowPlus(60_000)} where id = ${mailboxId}`
  expect(await claimIds()).toEqual([])
})
