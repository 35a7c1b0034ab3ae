import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { planOnce } from '../../../../test/support/campaigns/tick.ts'
import { makeBounce, makeComplaint } from '../../../../test/support/mail/answers.ts'
import {
  openPostOffice,
  type PostOffice,
  type SentCampaign,
} from '../../../../test/support/mail/correspondence.ts'

let app: TestApp
let post: PostOffice
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
  app.setNow('2026-11-20T09:00:00Z')
  post = await openPostOffice(app)
})
afterAll(async () => {
  await post[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

const steps = [
  { subject: 'Hello', body: 'One' },
  { delay: { amount: 9, unit: 'days' as const }, body: 'Two' },
]
const getMailbox = ({ owner, mailboxId }: SentCampaign) => owner.call('getMailbox', { mailboxId })
const isPaused = async (written: SentCampaign) => (await getMailbox(written)).pausedAt !== undefined

/** Receives reports about some of the campaign's emails, one after the other. */
async function report(
  written: SentCampaign,
  create: typeof makeBounce | typeof makeComplaint,
  from: number,
  to: number,
) {
  for (const mail of (await written.sent()).slice(from, to)) await written.receive(create(mail))
}

/** Adds more people and returns the emails sent to them. */
async function addPeople({ owner, campaignId }: SentCampaign, count: number, prefix: string) {
  const data = Array.from({ length: count }, (_, n) => ({ email: `${prefix}-${n}@${campaignId}.example` }))
  await owner.call('addProspectsToCampaign', { campaignId, data })
  await post.workAfter(60_000)
  return (await post.mails()).filter(({ to }) => data.some(({ email }) => email === to))
}

describe('a mailbox', () => {
  it('is paused at the fifth bounce, reports why, and sends no more campaign emails', async () => {
    const written = await post.write(20, steps)
    await report(written, makeBounce, 0, 4)
    expect(await isPaused(written)).toBe(false)
    await report(written, makeBounce, 4, 5)
    const pauseReason = '5 of its last 20 emails went to addresses that do not exist, more than 5%'
    const usage = { sent: 20, lastEmails: 20, bounced: 5 }
    expect(await getMailbox(written)).toMatchObject({ status: 'active', pauseReason, usage })
    const { owner, mailboxId, address } = written
    expect((await owner.call('listProblems', {})).data).toMatchObject([
      {
        kind: 'mailbox_paused',
        message: `${address} was paused automatically: ${pauseReason}.`,
        nextStep: expect.stringContaining('resume the mailbox'),
        about: { objectType: 'mailbox', id: mailboxId },
        since: expect.any(String),
      },
    ])
    const { data: audit } = await owner.call('listAuditLog', {})
    expect(audit.find(({ action }) => action === 'pause')).toMatchObject({
      actor: 'engine',
      auditedType: 'mailbox',
      auditedId: mailboxId,
    })
    expect(await addPeople(written, 2, 'later')).toEqual([])
  })

  it('steps back in its warm-up at the second bounce, once for each day on which it sends', async () => {
    const written = await post.write(20, steps)
    const { owner, mailboxId } = written
    await owner.call('updateMailbox', { mailboxId, dailyCap: 200, rampUp: { start: 40, increase: 30 } })
    for (const name of ['first', 'second', 'third', 'fourth']) {
      expect(await addPeople(written, 1, name)).toHaveLength(1)
      await post.workAfter(24 * 3_600_000)
    }
    expect(await addPeople(written, 1, 'fifth')).toHaveLength(1)
    const getRamp = async () => (await getMailbox(written)).usage
    expect(await getRamp()).toMatchObject({ rampUpDay: 5, limit: 160 })
    await report(written, makeBounce, 0, 1)
    expect(await getRamp()).toMatchObject({ rampUpDay: 5, limit: 160 })
    await report(written, makeBounce, 1, 3)
    expect(await getRamp()).toMatchObject({ rampUpDay: 3, limit: 100 })
    expect((await getMailbox(written)).rampUp).toHaveProperty('steppedBackAt')
  })

  it('sends held emails once a user resumes it, and restarts its count of bounces', async () => {
    const written = await post.write(20, steps)
    await report(written, makeBounce, 0, 5)
    expect(await addPeople(written, 6, 'waiting')).toEqual([])
    const { owner, mailboxId } = written
    expect(await owner.call('resumeMailbox', { mailboxId })).not.toHaveProperty('pausedAt')
    await post.workAfter(3_600_000)
    const waited = (await post.mails()).filter(
      ({ to }) => to.startsWith('waiting-') && to.includes(written.campaignId),
    )
    expect(waited).toHaveLength(6)
    await report(written, makeBounce, 5, 12)
    for (const mail of waited.slice(0, 4)) await written.receive(makeBounce(mail))
    expect(await isPaused(written)).toBe(false)
    await written.receive(makeBounce(waited[4]!))
    expect(await getMailbox(written)).toMatchObject({
      pauseReason: expect.stringContaining('5 of its last 6 emails'),
    })
  })

  it('leaves its queued emails to the other mailboxes when it is paused', async () => {
    const written = await post.write(20, steps)
    const { owner, campaignId, mailboxId } = written
    const email = `new@${campaignId}.example`
    await owner.call('addProspectsToCampaign', { campaignId, data: [{ email }] })
    await planOnce(app)
    const { repId } = await getMailbox(written)
    const smtp = { host: '127.0.0.1', port: post.server.port, tls: 'none' } as const
    const from = `other@${campaignId}.example`
    const other = await owner.call('createMailbox', { repId, kind: 'smtp', email: from, smtp })
    await owner.call('verifyMailbox', { mailboxId: other.id })
    await report(written, makeBounce, 0, 5)
    await post.workAfter(0)
    await post.workAfter(3_600_000)
    expect((await post.mails()).filter(({ to }) => to === email)).toMatchObject([
      { mail: { from: { address: from } } },
    ])
    expect(await owner.call('deleteMailbox', { mailboxId })).toEqual({ ok: true })
  })

  it('is not paused for bounces up to the account’s limit', async () => {
    const written = await post.write(20, steps)
    await written.owner.call('updateAccount', { maxBouncePercent: 30 })
    await report(written, makeBounce, 0, 6)
    expect(await isPaused(written)).toBe(false)
    await report(written, makeBounce, 6, 7)
    expect(await isPaused(written)).toBe(true)
  })

  it('is paused at the second complaint if that exceeds the limit', async () => {
    const written = await post.write(4, steps)
    await report(written, makeComplaint, 0, 1)
    expect(await isPaused(written)).toBe(false)
    await report(written, makeComplaint, 1, 2)
    expect(await getMailbox(written)).toMatchObject({
      pauseReason: '2 of its last 4 emails were reported as spam, more than 0.3%',
    })
  })

  it('counts concurrent reports, and each email once', async () => {
    const written = await post.write(10, steps)
    const mails = await written.sent()
    await Promise.all(
      mails
        .slice(0, 4)
        .flatMap(mail => [mail, mail])
        .map(mail => written.receive(makeBounce(mail))),
    )
    expect(await isPaused(written)).toBe(false)
    const other = await post.write(10, steps)
    await Promise.all((await other.sent()).slice(0, 5).map(mail => other.receive(makeBounce(mail))))
    expect(await isPaused(other)).toBe(true)
  })

  it('is paused when servers reject the addresses during delivery', async () => {
    post.server.script = step => (step === 'RCPT' ? '550 5.1.1 no such user' : undefined)
    const written = await post.write(6, steps)
    post.server.script = () => undefined
    expect(await getMailbox(written)).toMatchObject({
      pauseReason: expect.stringMatching(/^[56] of its last \d emails/),
    })
  })

  it('still sends replies that people write', async () => {
    const written = await post.write(6, steps)
    await report(written, makeBounce, 0, 5)
    expect(await isPaused(written)).toBe(true)
    const [sent] = (await written.messages()).filter(({ deliveryStatus }) => !deliveryStatus)
    const { messageId: emailMessageId } = await written.owner.call('createEmailDraft', {
      prospectId: sent!.prospectId!,
      emailMessageIdToReplyTo: sent!.id,
      body: 'Hi again',
    })
    const before = (await written.sent()).length
    await written.owner.call('sendEmailDraft', { emailMessageId })
    await post.workAfter(60_000)
    expect(await written.sent()).toHaveLength(before + 1)
  })
})
