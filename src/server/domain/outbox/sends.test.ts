import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import {
  ada,
  type Desk,
  inAccountTransaction,
  makeDesk,
  makeEmail,
  makeThread,
} from '../../../../test/support/campaigns/inbox.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { type ClaimedSend, claimLostSends, claimSends, findFreeSlots, renewSends } from './claim-sends.ts'
import {
  commitDotPending,
  confirmSend,
  deleteEndedSend,
  deleteQueuedSendsByCampaign,
  deleteQueuedSendsByProspect,
  deleteSend,
  endSend,
  expediteRetries,
  expediteSends,
  findStepSends,
  findUnconfirmedSends,
  postponeSend,
  queueSend,
  recordSent,
  repeatSend,
  retrySend,
} from './sends.ts'

let app: TestApp
let caller: Caller
let desk: Desk
beforeAll(async () => {
  app = await openTestApp()
  caller = await makeCaller(app)
  desk = await makeDesk(caller)
})
afterAll(() => app[Symbol.asyncDispose]())

const leaseMs = 60_000
const start = new Date('2026-11-20T09:00:00.000Z')
const startPlus = (ms: number) => new Date(start.getTime() + ms)
const inTx = <T>(work: (tx: Sql) => Promise<T>): Promise<T> => inAccountTransaction(app, caller, work)

const makeMessage = async (): Promise<string> =>
  makeEmail(app, caller, {
    threadId: await makeThread(app, caller, desk),
    status: null,
    deliveryStatus: 'queued',
  })

async function makeSend(fields: Partial<Parameters<typeof queueSend>[1]> = {}): Promise<string> {
  const messageId = await makeMessage()
  await inTx(tx =>
    queueSend(tx, {
      messageId,
      mailboxId: desk.mailboxId,
      recipientEmails: [ada.email],
      dueAt: start,
      ...fields,
    }),
  )
  return messageId
}

const claimAll = (now: Date, limit = 100): Promise<ClaimedSend[]> =>
  claimSends(app.db.engine, { now, limit, perMailbox: 100, leaseMs })
const claimOne = async (messageId: string, now = start): Promise<ClaimedSend> =>
  (await claimAll(now)).find(claim => claim.messageId === messageId)!
const readRow = async (messageId: string) =>
  (
    await app.owner`select state, epoch, attempts, response, queue_id from email_sends where message_id = ${messageId}`
  )[0]

describe('a send', () => {
  it('is claimed by one worker at a time, and by the next when the lease ends', async () => {
    const ids = await Promise.all(Array.from({ length: 8 }, () => makeSend()))
    const claims = (await Promise.all([claimAll(start, 4), claimAll(start, 4), claimAll(start, 4)])).flat()
    const claimed = claims.map(claim => claim.messageId)
    expect(new Set(claimed).size).toBe(claimed.length)
    claimed.push(...(await claimAll(start)).map(claim => claim.messageId))
    expect(ids.filter(id => claimed.includes(id))).toHaveLength(8)
    expect(await claimAll(startPlus(leaseMs - 1))).toEqual([])
    const again = await claimAll(startPlus(leaseMs))
    expect(again).toHaveLength(claimed.length)
    expect(again.every(claim => claim.epoch === 2n && claim.attempts === 2)).toBe(true)
  })

  it('can be claimed by the worker that queues it, and by another one when that lease ends', async () => {
    const messageId = await makeSend({ leaseUntil: startPlus(leaseMs) })
    expect(await readRow(messageId)).toMatchObject({ state: 'claimed', epoch: 1n, attempts: 1 })
    expect(await claimOne(messageId, startPlus(leaseMs - 1))).toBeUndefined()
    const next = await claimOne(messageId, startPlus(leaseMs))
    expect(next).toMatchObject({ epoch: 2n, attempts: 2 })
    const first = { messageId, epoch: 1n }
    expect(await inTx(tx => commitDotPending(tx, [first, next], startPlus(2 * leaseMs)))).toEqual([
      false,
      true,
    ])
  })

  it('is claimed by the worker that queues it only while its mailbox is below its limit of sends due or in flight', async () => {
    const { mailboxId } = await makeDesk(caller)
    const findSlots = () =>
      inTx(tx => findFreeSlots(tx, [mailboxId, desk.mailboxId], { now: start, perMailbox: 3 }))
    const freeBefore = (await findSlots()).get(desk.mailboxId)
    await makeSend({ mailboxId, dueAt: startPlus(1) })
    expect((await findSlots()).get(mailboxId), 'sends that are due later do not count').toBe(3)
    await makeSend({ mailboxId })
    expect((await findSlots()).get(mailboxId)).toBe(2)
    const { messageId, epoch } = await claimOne(await makeSend({ mailboxId }))
    expect((await findSlots()).get(mailboxId)).toBe(1)
    await inTx(tx => commitDotPending(tx, [{ messageId, epoch }], startPlus(leaseMs)))
    expect((await findSlots()).get(mailboxId)).toBe(1)
    await inTx(tx => endSend(tx, { messageId, epoch }, 'failed', '550'))
    expect((await findSlots()).get(mailboxId)).toBe(2)
    expect((await findSlots()).get(desk.mailboxId), 'another mailbox is unaffected').toBe(freeBefore)
  })

  it('stays with a worker that renews its lease, before and after the gate', async () => {
    const waiting = await claimOne(await makeSend())
    const released = await claimOne(await makeSend())
    await inTx(tx => commitDotPending(tx, [released], startPlus(leaseMs)))
    await renewSends(app.db.engine, [waiting, released], startPlus(2 * leaseMs))
    const isClaimedAt = async (now: Date) =>
      (await claimAll(now)).some(({ messageId }) => messageId === waiting.messageId)
    const isLostAt = async (now: Date) =>
      (await claimLostSends(app.db.engine, { now, limit: 100, leaseMs })).some(
        ({ messageId }) => messageId === released.messageId,
      )
    expect([
      await isClaimedAt(startPlus(2 * leaseMs - 1)),
      await isLostAt(startPlus(2 * leaseMs - 1)),
    ]).toEqual([false, false])
    expect([await isClaimedAt(startPlus(2 * leaseMs)), await isLostAt(startPlus(2 * leaseMs))]).toEqual([
      true,
      true,
    ])
    // Another worker has the claim now, so the first one can't renew it.
    await renewSends(app.db.engine, [waiting], startPlus(9 * leaseMs))
    expect(await isClaimedAt(startPlus(3 * leaseMs))).toBe(true)
    await inTx(tx => endSend(tx, released, 'unconfirmed', 'lost'))
  })

  it('is not claimed before it is due', async () => {
    const messageId = await makeSend({ dueAt: startPlus(1000) })
    expect(await claimOne(messageId, startPlus(999))).toBeUndefined()
    expect(await claimOne(messageId, startPlus(1000))).toMatchObject({ epoch: 1n, mailboxId: desk.mailboxId })
  })

  it('is sent at most once for a prospect and step', async () => {
    const step = { prospectId: desk.prospectId, campaignId: desk.campaignId, stepId: randomUUIDv7() }
    await makeSend(step)
    await expect(makeSend(step)).rejects.toThrow(/unique/)
    await makeSend({ ...step, stepId: randomUUIDv7() })
  })

  it('cannot be changed by a worker once another worker has claimed it', async () => {
    const messageId = await makeSend()
    const old = await claimOne(messageId)
    const current = await claimOne(messageId, startPlus(leaseMs))
    const stale = [
      async (tx: Sql) => (await commitDotPending(tx, [old], startPlus(2 * leaseMs)))[0],
      async (tx: Sql) => (await recordSent(tx, [{ ...old, response: '250 ok', queueId: 'a' }]))[0],
      (tx: Sql) => endSend(tx, old, 'failed', 'no'),
      (tx: Sql) => retrySend(tx, old, start, 'later'),
      (tx: Sql) => deleteSend(tx, old),
    ]
    for (const act of stale) expect(await inTx(act)).toBe(false)
    expect(await readRow(messageId)).toMatchObject({ state: 'claimed', epoch: 2n })
    expect(await inTx(tx => commitDotPending(tx, [current], startPlus(2 * leaseMs)))).toEqual([true])
    expect(await inTx(tx => recordSent(tx, [{ ...current, response: '250 ok', queueId: 'b' }]))).toEqual([
      true,
    ])
    expect(await readRow(messageId)).toMatchObject({ state: 'sent', response: '250 ok', queue_id: 'b' })
    for (const act of stale) expect(await inTx(act)).toBe(false)
  })

  it('is never claimed for delivery again once its final dot may have been sent, only as lost', async () => {
    const messageId = await makeSend()
    const claim = await claimOne(messageId)
    await inTx(tx => commitDotPending(tx, [claim], startPlus(leaseMs)))
    expect(await inTx(tx => commitDotPending(tx, [claim], startPlus(leaseMs)))).toEqual([false])
    const lostAt = async (now: Date, inFlight: { messageId: string }[] = []) =>
      (await claimLostSends(app.db.engine, { inFlight, now, limit: 100, leaseMs })).some(
        lost => lost.messageId === messageId,
      )
    expect(await lostAt(startPlus(leaseMs - 1))).toBe(false)
    // No worker claims it as lost while its result is being recorded.
    await app.owner.begin(async tx => {
      await tx`select from email_sends where account_id = ${caller.accountId} and message_id = ${messageId} for update`
      expect(await lostAt(startPlus(leaseMs))).toBe(false)
    })
    expect(await lostAt(startPlus(leaseMs), [claim]), 'in flight in this process').toBe(false)
    expect(await lostAt(startPlus(leaseMs))).toBe(true)
    // One worker at a time claims it as lost.
    expect(await lostAt(startPlus(2 * leaseMs - 1))).toBe(false)
    expect(await lostAt(startPlus(2 * leaseMs))).toBe(true)
    expect(await claimOne(messageId, startPlus(10 * leaseMs))).toBeUndefined()
    expect(await inTx(tx => endSend(tx, claim, 'unconfirmed', 'lost'))).toBe(true)
    expect(await lostAt(startPlus(10 * leaseMs))).toBe(false)
    expect(await claimOne(messageId, startPlus(10 * leaseMs))).toBeUndefined()
    // The worker was only slow, so its result replaces "unconfirmed".
    const receipt = { response: '250 ok', queueId: undefined }
    expect(await inTx(tx => recordSent(tx, [{ ...claim, ...receipt }]))).toEqual([false])
    expect(await inTx(tx => confirmSend(tx, { messageId, ...receipt }))).toBe(true)
    expect(await inTx(tx => confirmSend(tx, { messageId, ...receipt }))).toBe(false)
    expect(await readRow(messageId)).toMatchObject({ state: 'sent' })
  })

  it('does not affect the other sends of its batch once it has ended', async () => {
    const [lost, kept] = [await claimOne(await makeSend()), await claimOne(await makeSend())]
    await inTx(tx => endSend(tx, lost, 'failed', 'no'))
    expect(await inTx(tx => commitDotPending(tx, [lost, kept], startPlus(leaseMs)))).toEqual([false, true])
    const receipts = [kept, lost].map(claim => ({ ...claim, response: '250 ok', queueId: undefined }))
    expect(await inTx(tx => recordSent(tx, receipts))).toEqual([true, false])
  })

  it('is dated by its final dot if it was delivered after all, or else by the time when it was written', async () => {
    const confirm = async (sentAt: Date, hasDot: boolean) => {
      const threadId = await makeThread(app, caller, desk)
      const messageId = await makeEmail(app, caller, { threadId, type: 'manual', status: 'draft', sentAt })
      const recipientEmails = [ada.email]
      await inTx(tx => queueSend(tx, { messageId, mailboxId: desk.mailboxId, recipientEmails, dueAt: start }))
      const claim = await claimOne(messageId)
      if (hasDot) await inTx(tx => commitDotPending(tx, [claim], startPlus(leaseMs)))
      await inTx(tx => endSend(tx, claim, 'unconfirmed', 'lost'))
      await inTx(tx => confirmSend(tx, { messageId, response: '250 ok' }))
      const [row] = await app.owner<{ sentAt: Date; dotPendingAt: Date | null }[]>`
        select m.sent_at as "sentAt", e.dot_pending_at as "dotPendingAt"
          from email_messages m join email_sends e on e.message_id = m.id where m.id = ${messageId}`
      return row!
    }
    const writtenAt = new Date('2020-01-01T09:00:00.000Z')
    const { sentAt, dotPendingAt } = await confirm(writtenAt, true)
    expect(dotPendingAt).toBeInstanceOf(Date)
    expect(sentAt).toEqual(dotPendingAt)
    expect((await confirm(writtenAt, false)).sentAt).toEqual(writtenAt)
  })

  it('is no longer marked as unconfirmed once it proves to have been delivered, nor is its prospect', async () => {
    const { prospectId, campaignId } = desk
    const messageId = await makeSend({ prospectId, campaignId, stepId: randomUUIDv7() })
    const claim = await claimOne(messageId)
    await inTx(tx => endSend(tx, claim, 'unconfirmed', 'lost'))
    const setReason = (reason: string) =>
      app.owner`update prospects set status_reason = ${reason} where id = ${prospectId}`
    await setReason('unconfirmed')
    expect(await inTx(tx => confirmSend(tx, { messageId, response: '250 ok' }))).toBe(true)
    const [row] = await app.owner`
      select m.status, p.status_reason
        from email_messages m, prospects p where m.id = ${messageId} and p.id = ${prospectId}`
    expect(row).toEqual({ status: 'sent', status_reason: null })
  })

  it('can be sent again by a user only when it is unconfirmed', async () => {
    const messageId = await makeSend()
    expect(await inTx(tx => repeatSend(tx, messageId, startPlus(1000)))).toBe(false)
    const claim = await claimOne(messageId)
    await inTx(tx => endSend(tx, claim, 'unconfirmed', 'lost'))
    expect(await inTx(tx => repeatSend(tx, messageId, startPlus(1000)))).toBe(true)
    expect(await claimOne(messageId, startPlus(999))).toBeUndefined()
    expect(await claimOne(messageId, startPlus(1000))).toMatchObject({ attempts: 1, epoch: 3n })
  })

  it('is requeued or deleted if it certainly failed', async () => {
    const [retried, deleted] = [await makeSend(), await makeSend()]
    const claims = await claimAll(start)
    const findClaim = (id: string) => claims.find(({ messageId }) => messageId === id)!
    expect(await inTx(tx => retrySend(tx, findClaim(retried), startPlus(1000), '450 later'))).toBe(true)
    expect(await readRow(retried)).toMatchObject({ state: 'queued', attempts: 1, response: '450 later' })
    expect(await claimOne(retried, startPlus(999))).toBeUndefined()
    expect(await inTx(tx => deleteSend(tx, findClaim(deleted)))).toBe(true)
    expect(await readRow(deleted)).toBeUndefined()
  })

  it('is found by its prospect and step', async () => {
    const step = { prospectId: desk.prospectId, campaignId: desk.campaignId, stepId: randomUUIDv7() }
    const messageId = await makeSend(step)
    const find = (steps: { prospectId: string; stepId: string }[]) => inTx(tx => findStepSends(tx, steps))
    expect(await find([step, { ...step, stepId: randomUUIDv7() }])).toEqual([messageId])
    expect(await find([{ ...step, prospectId: randomUUIDv7() }])).toEqual([])
  })

  it('can be queued again only after it was refused or failed', async () => {
    const requeue = (messageId: string) =>
      inTx(tx =>
        queueSend(tx, { messageId, mailboxId: desk.mailboxId, recipientEmails: [ada.email], dueAt: start }),
      )
    for (const [state, isRequeued] of [
      ['refused', true],
      ['failed', true],
      ['unconfirmed', false],
    ] as const) {
      const messageId = await makeSend()
      expect(await requeue(messageId)).toBe(false)
      const claim = await claimOne(messageId)
      expect(await requeue(messageId)).toBe(false)
      await inTx(tx => endSend(tx, claim, state, '550'))
      expect(await requeue(messageId)).toBe(isRequeued)
      // A zombie worker from the first round can't change anything in the second.
      if (isRequeued)
        expect(await inTx(tx => commitDotPending(tx, [claim], startPlus(leaseMs)))).toEqual([false])
    }
  })

  it('is requeued without counting an attempt if none was made', async () => {
    const messageId = await makeSend()
    const claim = await claimOne(messageId)
    expect(await inTx(tx => postponeSend(tx, claim, startPlus(1000), 'window'))).toBe(true)
    expect(await readRow(messageId)).toMatchObject({ state: 'queued', attempts: 0, response: 'window' })
    expect(await claimOne(messageId, startPlus(999))).toBeUndefined()
    const again = await claimOne(messageId, startPlus(1000))
    await inTx(tx => commitDotPending(tx, [again], startPlus(leaseMs)))
    expect(await inTx(tx => postponeSend(tx, again, start, 'window'))).toBe(false)
    await inTx(tx => endSend(tx, again, 'unconfirmed', 'lost'))
  })

  it('is due as soon as the reason for its postponement no longer applies', async () => {
    const [expedited, other] = [await makeSend(), await makeSend()]
    for (const claim of await claimAll(start)) {
      const reason = claim.messageId === expedited ? 'server_unavailable' : 'window'
      await inTx(tx => postponeSend(tx, claim, startPlus(5000), reason))
    }
    await inTx(tx =>
      expediteSends(tx, [{ id: desk.mailboxId, reason: 'server_unavailable' }], startPlus(1000)),
    )
    const due = (await claimAll(startPlus(1000))).map(({ messageId }) => messageId)
    expect([due.includes(expedited), due.includes(other)]).toEqual([true, false])
  })

  it('is due now after its mailbox was repaired if a person sent it and an attempt has failed', async () => {
    const step = { prospectId: desk.prospectId, campaignId: desk.campaignId, stepId: randomUUIDv7() }
    const [retried, ofStep] = [await makeSend(), await makeSend(step)]
    for (const claim of await claimAll(start)) await inTx(tx => retrySend(tx, claim, startPlus(5000), '535'))
    const scheduled = await makeSend({ dueAt: startPlus(5000) })
    await inTx(tx => expediteRetries(tx, desk.mailboxId, start))
    const due = (await claimAll(start)).map(({ messageId }) => messageId)
    expect([retried, ofStep, scheduled].map(id => due.includes(id))).toEqual([true, false, false])
  })

  it('can be deleted if a campaign queued it, unless a worker claimed it or a user sent it again', async () => {
    const step = () => ({ prospectId: desk.prospectId, campaignId: desk.campaignId, stepId: randomUUIDv7() })
    const deletions = [
      (tx: Sql) => deleteQueuedSendsByCampaign(tx, desk.campaignId),
      (tx: Sql) => deleteQueuedSendsByProspect(tx, [desk.prospectId]),
    ]
    for (const deleteSends of deletions) {
      const claimed = await makeSend(step())
      await claimAll(start)
      const repeated = await makeSend({ ...step(), dueAt: startPlus(leaseMs) })
      await app.owner`update email_sends set is_repeat = true where message_id = ${repeated}`
      const waiting = await makeSend({ ...step(), dueAt: startPlus(leaseMs) })
      const deleted = await inTx(deleteSends)
      expect(deleted).toContainEqual({ messageId: waiting, prospectId: desk.prospectId })
      expect(await readRow(waiting)).toBeUndefined()
      expect([await readRow(claimed), await readRow(repeated)]).toMatchObject([
        { state: 'claimed' },
        { state: 'queued' },
      ])
    }
  })

  it('can be deleted only after it was refused or failed', async () => {
    const [failed, waiting] = [await makeSend(), await makeSend({ dueAt: startPlus(leaseMs) })]
    const claim = await claimOne(failed)
    await inTx(tx => endSend(tx, claim, 'failed', 'no'))
    await inTx(tx => deleteEndedSend(tx, failed))
    await inTx(tx => deleteEndedSend(tx, waiting))
    expect([await readRow(failed), await readRow(waiting)]).toMatchObject([undefined, { state: 'queued' }])
  })

  it('is found by its mailbox while it is unconfirmed, latest first', async () => {
    const before = (await inTx(tx => findUnconfirmedSends(tx, desk.mailboxId, new Date(0)))).length
    const messageId = await makeSend()
    const claim = await claimOne(messageId)
    await inTx(tx => endSend(tx, claim, 'unconfirmed', 'lost'))
    const found = await inTx(tx => findUnconfirmedSends(tx, desk.mailboxId, new Date(0)))
    expect(found).toHaveLength(before + 1)
    expect(found[0]).toMatchObject({
      messageId,
      messageIdHeaders: [expect.stringMatching(/^<.+@acme.example>$/)],
    })
    const tomorrow = new Date(Date.now() + 24 * 3_600_000)
    expect(await inTx(tx => findUnconfirmedSends(tx, desk.mailboxId, tomorrow))).toEqual([])
    expect(await inTx(tx => findUnconfirmedSends(tx, randomUUIDv7(), new Date(0)))).toEqual([])
  })

  it('is claimed only within the limits per mailbox and per batch', async () => {
    const at = startPlus(100 * leaseMs)
    const ids = [await makeSend({ dueAt: at }), await makeSend({ dueAt: at }), await makeSend({ dueAt: at })]
    await claimAll(startPlus(99 * leaseMs))
    const claim = async (limit: number, perMailbox: number) =>
      (await claimSends(app.db.engine, { now: at, limit, perMailbox, leaseMs: 1000 * leaseMs })).length
    await app.owner`update email_sends set due_at = ${startPlus(9999 * leaseMs)} where message_id <> all(${ids})`
    await app.owner`
      update email_sends set state = 'queued' where message_id <> all(${ids}) and state in ('claimed', 'dot_pending')`
    expect(await claim(1, 100)).toBe(1)
    expect(await claim(100, 2)).toBe(1)
    expect(await claim(100, 2)).toBe(0)
    expect(await claim(100, 3)).toBe(1)
  })
})
