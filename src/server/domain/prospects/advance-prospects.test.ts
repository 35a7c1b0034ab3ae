import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { type DueCampaign, makeDueCampaign } from '../../../../test/support/campaigns/due-campaign.ts'
import { inAccountTransaction, makeEmail, makeThread } from '../../../../test/support/campaigns/inbox.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { queueSend } from '../outbox/sends.ts'
import {
  clearStatusReason,
  finishSteps,
  markStepsInFlight,
  postponeStep,
  releaseClaim,
  revertStep,
  stopProspect,
} from './advance-prospects.ts'
import { claimDueProspects } from './claim-prospects.ts'

const now = new Date('2026-11-23T12:00:00.000Z')
const nowPlus = (ms: number) => new Date(now.getTime() + ms)
const DAY_MS = 24 * 3_600_000

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
  app.setNow(now)
})
afterAll(() => app[Symbol.asyncDispose]())

/** Claims a prospect of a campaign with two steps, the second one two days after the first. */
async function makeClaim() {
  const campaign = await makeDueCampaign(app, 1, undefined, {
    steps: [
      { subject: 'One', body: 'One' },
      { delay: { amount: 2, unit: 'days' }, body: 'Two' },
    ],
  })
  const id = campaign.ids[0]!
  await claim()
  const getRow = async () => (await app.owner`select * from prospects where id = ${id}`)[0]!
  const set = (fields: Record<string, unknown>) =>
    app.owner`update prospects set ${app.owner.assignments(fields)} where id = ${id}`
  const act = (work: (tx: Sql) => PromiseLike<unknown>, as = campaign.owner) =>
    inAccountTransaction(app, as, async tx => work(tx))
  return { ...campaign, id, getRow, set, act }
}
const claim = (at = now) =>
  claimDueProspects(app.db.engine, { now: at, limit: 100, perMailbox: 50, leaseMs: 30_000 })
const isClaimable = async (id: string, at = now) => (await claim(at)).some(one => one.id === id)
const markInFlight = (tx: Sql, id: string, by: Pick<DueCampaign, 'repId' | 'mailboxId'>, at = now) =>
  markStepsInFlight(tx, [{ prospectId: id, repId: by.repId, mailboxId: by.mailboxId }], at)

describe('a prospect', () => {
  it('is not claimed while its step is in flight, and keeps the time of its first step', async () => {
    const { id, act, getRow, ...campaign } = await makeClaim()
    await act(tx => markInFlight(tx, id, campaign))
    const { repId, mailboxId } = campaign
    expect(await getRow()).toMatchObject({
      status: 'active',
      rep_id: repId,
      mailbox_id: mailboxId,
      began_at: now,
    })
    expect(await isClaimable(id, nowPlus(9 * DAY_MS))).toBe(false)
    await act(tx => markInFlight(tx, id, campaign, nowPlus(DAY_MS)))
    expect(await getRow()).toMatchObject({ began_at: now })
  })

  it('keeps its mailbox after a step that needs none, unless another rep does that step', async () => {
    const { id, act, getRow, owner, repId, mailboxId } = await makeClaim()
    await act(tx => markInFlight(tx, id, { repId, mailboxId }))
    const markTask = (rep: string) =>
      act(tx => markStepsInFlight(tx, [{ prospectId: id, repId: rep, mailboxId: null }], now))
    await markTask(repId)
    expect(await getRow()).toMatchObject({ rep_id: repId, mailbox_id: mailboxId })
    const other = await owner.call('createRep', { name: 'Mary' })
    await markTask(other.id)
    expect(await getRow()).toMatchObject({ rep_id: other.id, mailbox_id: null })
  })

  it('gets the next step after its delay, and is completed if there is no next step', async () => {
    const { id, act, getRow, owner, campaignId, mailboxId, repId } = await makeClaim()
    const steps = await app.owner`
      select id from campaign_steps where campaign_id = ${campaignId} order by position`
    const send = async (stepId: string) => {
      const threadId = await makeThread(app, owner)
      const messageId = await makeEmail(app, owner, { threadId, status: null, deliveryStatus: 'queued' })
      const step = { prospectId: id, campaignId, stepId }
      const recipientEmails = ['bob@bone.example']
      await act(tx => markInFlight(tx, id, { repId, mailboxId }))
      await act(tx => queueSend(tx, { messageId, mailboxId, recipientEmails, dueAt: now, ...step }))
    }
    await send(steps[0]!.id)
    expect(await act(tx => finishSteps(tx, [id], now))).toBe(false)
    expect(await getRow()).toMatchObject({
      status: 'active',
      status_reason: null,
      steps_done: 1,
      delay_starts_at: now,
      next_step_at: nowPlus(2 * DAY_MS),
    })
    await send(steps[1]!.id)
    expect(await act(tx => finishSteps(tx, [id], nowPlus(2 * DAY_MS), 'unconfirmed'))).toBe(true)
    expect(await getRow()).toMatchObject({
      status: 'completed',
      status_reason: 'unconfirmed',
      steps_done: 2,
      next_step_at: null,
    })
  })

  it('keeps its status if it replied, was paused or opted out while its step was in flight', async () => {
    for (const status of ['replied', 'paused', 'opted_out']) {
      const { id, act, getRow, set } = await makeClaim()
      await set({ status, status_reason: 'earlier' })
      await act(tx => finishSteps(tx, [id], now, 'unconfirmed'))
      expect(await getRow()).toMatchObject({ status, status_reason: 'earlier', steps_done: 1 })
    }
  })

  it('is stopped with a reason and ends only once', async () => {
    const { id, act, getRow } = await makeClaim()
    await act(tx => stopProspect(tx, id, 'paused', 'do_not_contact', now))
    expect(await getRow()).toMatchObject({
      status: 'paused',
      status_reason: 'do_not_contact',
      next_step_at: nowPlus(-1_000),
      lease_until: null,
    })
    await act(tx => stopProspect(tx, id, 'bounced', 'hard_bounce', now))
    await act(tx => stopProspect(tx, id, 'failed', 'no_email', now))
    expect(await getRow()).toMatchObject({
      status: 'bounced',
      status_reason: 'hard_bounce',
      next_step_at: null,
    })
  })

  it('is due as soon as it is resumed if it was paused while its step was in flight', async () => {
    const { id, act, getRow, ...campaign } = await makeClaim()
    await act(tx => markInFlight(tx, id, campaign))
    await act(tx => stopProspect(tx, id, 'paused', 'paused_by_user', now))
    expect((await getRow()).next_step_at).toEqual(now)
  })

  it('is postponed to the given time, and its claim is released', async () => {
    const { id, act, set } = await makeClaim()
    await act(tx => postponeStep(tx, id, nowPlus(1_000)))
    expect([await isClaimable(id, nowPlus(999)), await isClaimable(id, nowPlus(1_000))]).toEqual([
      false,
      true,
    ])
    await set({ status: 'replied' })
    await act(tx => postponeStep(tx, id, nowPlus(2_000)))
    await set({ status: 'active' })
    expect(await isClaimable(id, nowPlus(2_000))).toBe(false)
  })

  it('is due at the same time after its claim is released', async () => {
    const { id, act } = await makeClaim()
    expect(await isClaimable(id)).toBe(false)
    await act(tx => releaseClaim(tx, id))
    expect(await isClaimable(id)).toBe(true)
  })

  it('may get a reverted step from another mailbox only if no step was done before', async () => {
    const { id, act, getRow, set, ...campaign } = await makeClaim()
    const { repId, mailboxId } = campaign
    await act(tx => markInFlight(tx, id, campaign))
    await set({ steps_done: 1 })
    await act(tx => revertStep(tx, id, nowPlus(1_000)))
    const due = { next_step_at: nowPlus(1_000), lease_until: null }
    expect(await getRow()).toMatchObject({ ...due, rep_id: repId, mailbox_id: mailboxId })
    await set({ steps_done: 0 })
    await act(tx => revertStep(tx, id, nowPlus(2_000)))
    expect(await getRow()).toMatchObject({ next_step_at: nowPlus(2_000), rep_id: null, mailbox_id: null })
    await set({ status: 'replied' })
    await act(tx => revertStep(tx, id, nowPlus(3_000)))
    expect(await getRow()).toMatchObject({ next_step_at: nowPlus(2_000) })
  })

  it('has its status reason cleared only if it is the given one', async () => {
    const { id, act, getRow, set } = await makeClaim()
    await set({ status_reason: 'unconfirmed' })
    await act(tx => clearStatusReason(tx, id, 'do_not_contact'))
    expect(await getRow()).toMatchObject({ status_reason: 'unconfirmed' })
    await act(tx => clearStatusReason(tx, id, 'unconfirmed'))
    expect(await getRow()).toMatchObject({ status_reason: null })
  })

  it('is not changed from another account', async () => {
    const { id, act, getRow, set, ...campaign } = await makeClaim()
    await set({ status_reason: 'unconfirmed' })
    const before = await getRow()
    const other = await makeCaller(app)
    for (const work of [
      (tx: Sql) => markInFlight(tx, id, campaign),
      (tx: Sql) => finishSteps(tx, [id], now),
      (tx: Sql) => stopProspect(tx, id, 'failed', 'no_email', now),
      (tx: Sql) => postponeStep(tx, id, nowPlus(1_000)),
      (tx: Sql) => releaseClaim(tx, id),
      (tx: Sql) => revertStep(tx, id, nowPlus(1_000)),
      (tx: Sql) => clearStatusReason(tx, id, 'unconfirmed'),
    ])
      await act(work, other)
    expect(await getRow()).toEqual(before)
  })
})
