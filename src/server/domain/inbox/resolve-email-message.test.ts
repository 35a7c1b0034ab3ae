import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { inAccountTransaction } from '../../../../test/support/campaigns/inbox.ts'
import { isWaitingForLock } from '../../../../test/support/db/lock-waits.ts'
import { makeMailCampaign, openWorker, type Worker } from '../../../../test/support/mail/mail-campaign.ts'
import { ScriptedSmtp } from '../../../../test/support/mail/scripted-smtp.ts'
import { inAccount } from '../../kernel/context.ts'
import { confirmSend } from '../outbox/sends.ts'
import { resolveEmailMessage } from './resolve-email-message.ts'

const DAY = 24 * 3_600_000

let app: TestApp
let worker: Worker
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
  app.setNow('2026-11-20T09:00:00Z')
  worker = openWorker(app)
})
afterAll(async () => {
  await worker[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

const followUp = { delay: { amount: 1, unit: 'days' }, body: 'Again', thread: 'same' } as const

/** Makes a campaign whose first email is cut off after its final dot; afterwards the server works again. */
async function makeUnconfirmed(server: ScriptedSmtp, steps = [{ subject: 'Hello', body: 'Hi' }, followUp]) {
  const campaign = await makeMailCampaign(app, [server], 1, steps)
  server.script = step => (step === 'DOT' ? 'cut' : undefined)
  await worker.workAfter(0)
  server.script = () => undefined
  const { data } = await campaign.owner.call('listEmailMessages', { deliveryStatus: 'unconfirmed' })
  expect(data).toHaveLength(1)
  const emailMessageId = data[0]!.id
  const resolve = (as: 'sent' | 'send_again') =>
    campaign.owner.call('resolveEmailMessage', { emailMessageId, as })
  const read = () => campaign.owner.call('getEmailMessage', { emailMessageId })
  return { ...campaign, emailMessageId, resolve, read }
}

const readMessageId = (server: ScriptedSmtp, index: number) =>
  /^Message-ID: (.+)\r$/im.exec(server.transfers[index]!.wire.toString())![1]

describe('an unconfirmed email', () => {
  it('is never sent again once a user marks it as sent', async () => {
    await using server = await ScriptedSmtp.open()
    const { owner, resolve, prospects } = await makeUnconfirmed(server)
    const message = await resolve('sent')
    expect(message).toMatchObject({ status: 'sent' })
    expect(message.deliveryStatus).toBeUndefined()
    expect((await prospects())[0]?.statusReason).toBeUndefined()
    expect((await owner.call('listEmailMessages', { deliveryStatus: 'unconfirmed' })).data).toEqual([])
    await expect(resolve('sent')).rejects.toMatchObject({
      code: 'Conflict',
      message: expect.stringMatching(/is sent/),
    })
    await worker.workAfter(10 * DAY)
    expect(server.transfers).toHaveLength(2)
  })

  it('keeps its Message-ID when a user chooses to send it again, and its sequence continues as before', async () => {
    await using server = await ScriptedSmtp.open()
    const { resolve, read, prospects } = await makeUnconfirmed(server)
    expect(await resolve('send_again')).toMatchObject({ deliveryStatus: 'queued' })
    await expect(resolve('send_again')).rejects.toMatchObject({ code: 'Conflict' })
    await worker.workAfter(0)
    expect(await read()).toMatchObject({ status: 'sent' })
    expect(readMessageId(server, 1)).toBe(readMessageId(server, 0))
    await worker.workAfter(10 * DAY)
    expect(server.transfers).toHaveLength(3)
    expect(server.transfers[2]!.wire.toString()).toContain('Again')
    expect((await prospects())[0]).toMatchObject({ status: 'completed' })
  })

  it('is sent again even when its campaign is completed', async () => {
    await using server = await ScriptedSmtp.open()
    const { resolve, read, owner, campaignId } = await makeUnconfirmed(server, [
      { subject: 'Hello', body: 'Hi' },
    ])
    expect(await owner.call('getCampaign', { campaignId })).toMatchObject({ status: 'completed' })
    await resolve('send_again')
    await worker.workAfter(0)
    expect(await read()).toMatchObject({ status: 'sent' })
  })

  it('is not sent again to somebody who opted out in the meantime', async () => {
    await using server = await ScriptedSmtp.open()
    const { resolve, read, owner, emails } = await makeUnconfirmed(server)
    await resolve('send_again')
    await owner.call('addOptOuts', { identifiers: [{ identifier: emails[0]! }] })
    await worker.workAfter(0)
    expect(await read()).toMatchObject({
      deliveryStatus: 'unconfirmed',
      deliveryReason: expect.stringContaining('do_not_contact'),
    })
    await worker.workAfter(10 * DAY)
    expect(server.transfers.filter(({ isComplete }) => isComplete)).toHaveLength(1)
  })

  it.each([
    ['refused', '550 5.1.1 no such user'],
    ['cut off', 'cut'],
  ] as const)(
    'stays unconfirmed if it is %s when it is sent again, and its step is not planned again',
    async (_what, reaction) => {
      await using server = await ScriptedSmtp.open()
      const { resolve, read, messages } = await makeUnconfirmed(server, [{ subject: 'Hello', body: 'Hi' }])
      await resolve('send_again')
      server.script = step => (step === 'DOT' ? reaction : undefined)
      await worker.workAfter(0)
      server.script = () => undefined
      await worker.workAfter(10 * DAY)
      expect(await read()).toMatchObject({ deliveryStatus: 'unconfirmed' })
      expect(await messages()).toHaveLength(1)
      expect(server.transfers).toHaveLength(2)
    },
  )

  it('is still sent after the steps were changed if it was queued again while its mailbox failed', async () => {
    await using server = await ScriptedSmtp.open()
    const { resolve, read, owner, campaignId, mailboxIds } = await makeUnconfirmed(server)
    await resolve('send_again')
    server.script = step => (step === 'MAIL' ? '535 5.7.8 who are you' : undefined)
    await worker.workAfter(0)
    expect(await read()).toMatchObject({
      deliveryStatus: 'queued',
      deliveryReason: expect.stringContaining('5.7.8'),
    })
    await owner.call('setCampaignSteps', { campaignId, steps: [{ subject: 'Other', body: 'Other' }] })
    server.script = () => undefined
    await owner.call('verifyMailbox', { mailboxId: mailboxIds[0]! })
    await worker.workAfter(600_000)
    expect(await read()).toMatchObject({ status: 'sent' })
  })

  it('is not sent again when its delivery is confirmed while it is queued', async () => {
    await using server = await ScriptedSmtp.open()
    const { resolve, read, owner, emailMessageId } = await makeUnconfirmed(server)
    await resolve('send_again')
    const response = 'found in the Sent folder'
    expect(
      await inAccountTransaction(app, owner, tx => confirmSend(tx, { messageId: emailMessageId, response })),
    ).toBe(true)
    await worker.workAfter(0)
    expect(await read()).toMatchObject({ status: 'sent' })
    expect(server.transfers).toHaveLength(1)
  })

  it('keeps its mailbox from being deleted while it is queued again', async () => {
    await using server = await ScriptedSmtp.open()
    const { owner, emailMessageId, mailboxIds } = await makeUnconfirmed(server)
    let refusal: Promise<void> | undefined
    await inAccount(app.owner, owner.accountId, async sql => {
      await resolveEmailMessage({ ...owner.context, sql }, { emailMessageId, as: 'send_again' })
      const deletion = owner.call('deleteMailbox', { mailboxId: mailboxIds[0]! })
      refusal = expect(deletion).rejects.toMatchObject({ code: 'Conflict' })
      await expect.poll(() => isWaitingForLock(app)).toBe(true)
    })
    await refusal
  })

  it('can be resolved only by users who may send for its rep', async () => {
    await using server = await ScriptedSmtp.open()
    const { owner, emailMessageId } = await makeUnconfirmed(server)
    const member = await makeCaller(app, 'member', owner.accountId)
    const input = { emailMessageId, as: 'sent' } as const
    await expect(member.call('resolveEmailMessage', input)).rejects.toMatchObject({ code: 'NotFound' })
    const viewer = await makeCaller(app, 'viewer', owner.accountId)
    await expect(viewer.call('resolveEmailMessage', input)).rejects.toMatchObject({ code: 'Forbidden' })
    await owner.call('resolveEmailMessage', input)
    const rows = await app.owner`select action from audit_log where object_id = ${emailMessageId}`
    expect(rows.map(row => row.action)).toContain('resolve_sent')
  })
})
