import { randomUUIDv7 } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openEngine } from '../../src/server/engine/loop.ts'
import { openTestApp, type TestApp } from '../support/app.ts'
import { makeReply } from '../support/mail/answers.ts'
import { Dovecot, dovecotPassword, hasDovecot } from '../support/mail/dovecot.ts'
import { type Gmail, openGmail } from '../support/mail/gmail.ts'
import { makeMailCampaignToLaunch } from '../support/mail/mail-campaign.ts'
import { ScriptedSmtp } from '../support/mail/scripted-smtp.ts'
import { readMail } from '../support/mail/sent-mail.ts'

const WAIT = { timeout: 60_000, interval: 100 }
const polled = { pollMs: 300, answerMs: 5_000, backoff: { baseMs: 100, maxMs: 400 } }

describe.runIf(hasDovecot())('an alias of a mailbox', () => {
  let app: TestApp
  let dovecot: Dovecot
  let gmail: Gmail
  let smtp: ScriptedSmtp
  beforeAll(async () => {
    app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
    dovecot = await Dovecot.open()
    gmail = await openGmail()
    smtp = await ScriptedSmtp.open()
  })
  afterAll(async () => {
    await app[Symbol.asyncDispose]()
    for (const each of [smtp, gmail, dovecot]) await each[Symbol.asyncDispose]()
  })
  afterEach(async () => {
    smtp.forget()
    smtp.script = () => undefined
    await app.owner`delete from mailbox_syncs`
  })

  /** Creates a draft campaign and its mailbox, whose SMTP server records emails without delivering them. */
  async function makeMailbox({ port } = { port: dovecot.port }) {
    const steps = [{ subject: 'Hello', body: 'Write to {{ senderEmail }}.' }]
    const campaign = await makeMailCampaignToLaunch(app, [smtp], 1, steps)
    const { owner } = campaign
    const mailboxId = campaign.mailboxIds[0]!
    const { email: user } = await owner.call('getMailbox', { mailboxId })
    const imap = { host: '127.0.0.1', port, tls: 'none' as const, user, password: dovecotPassword }
    await owner.call('updateMailbox', { mailboxId, imap })
    const alias = `sales-${randomUUIDv7()}@navy.example`
    const findAlias = async () => (await owner.call('getMailbox', { mailboxId })).aliases?.[0]
    const add = () => owner.call('addMailboxAlias', { mailboxId, email: alias })
    const setFrom = (fromEmail: string | null) => owner.call('updateMailbox', { mailboxId, fromEmail })
    return {
      ...{ ...campaign, mailboxId, user, alias, add, setFrom },
      /** Sends a test email and returns it. */
      sendTest: async () => {
        await add()
        return smtp.transfers.at(-1)!.wire.subarray(0, -5).toString()
      },
      waitForStatus: (status: string) =>
        expect.poll(async () => (await findAlias())?.status, WAIT).toBe(status),
      findAlias,
      waitForSync: async () => {
        const now = Date.now()
        await expect
          .poll(
            async () => Date.parse((await owner.call('getMailbox', { mailboxId })).lastSyncedAt ?? ''),
            WAIT,
          )
          .toBeGreaterThan(now)
      },
    }
  }

  const replaceSender = (raw: string, user: string): string =>
    raw.replace(/^From: (.*)$/m, (_line, from: string) => `X-Google-Original-From: ${from}\r\nFrom: ${user}`)

  it('can be the sender of campaign emails once its test email has arrived, and replies to it are received', async () => {
    const mailbox = await makeMailbox()
    const { owner, mailboxId, user, alias, setFrom, waitForStatus, messages, launch } = mailbox
    const raw = await mailbox.sendTest()
    expect(smtp.transfers.at(-1)!.envelope.join(' ')).toMatch(new RegExp(`FROM:<${alias}>.* TO:<${alias}>`))
    expect(await mailbox.findAlias()).toEqual({
      email: alias,
      status: 'unverified',
      testedAt: expect.any(String),
    })
    await expect(setFrom(alias)).rejects.toMatchObject({
      message: expect.stringContaining('must be a verified alias'),
    })
    await using _engine = openEngine(app, { sync: polled })
    await dovecot.doveadm(['save', '-u', user, '-m', 'Sent Items'], raw)
    await mailbox.waitForSync()
    expect(await mailbox.findAlias(), 'a copy of the sent email proves nothing').toMatchObject({
      status: 'unverified',
    })
    await dovecot.deliver(user, raw)
    await waitForStatus('verified')
    expect(await setFrom(alias)).toMatchObject({ email: user, fromEmail: alias })
    smtp.forget()
    await launch()
    await smtp.until(() => smtp.transfers.some(({ isComplete }) => isComplete))
    const sent = await readMail(smtp.transfers[0]!)
    expect(sent.mail).toMatchObject({
      from: { address: alias },
      messageId: expect.stringMatching(/@navy\.example>$/),
      text: expect.stringContaining(`Write to ${alias}.`),
    })
    await dovecot.deliver(user, makeReply(sent))
    await expect.poll(async () => (await messages()).map(({ type }) => type), WAIT).toContain('received')
    const emailThreadId = (await messages())[0]!.emailThreadId!
    expect(await owner.call('getEmailThread', { emailThreadId })).toMatchObject({ sender: { email: alias } })
    expect(await messages()).toHaveLength(2)
    const removed = await owner.call('removeMailboxAlias', { mailboxId, email: alias })
    expect([removed.fromEmail, removed.aliases]).toEqual([undefined, undefined])
    expect(await owner.call('getEmailThread', { emailThreadId })).toMatchObject({ sender: { email: user } })
  })

  it('is no longer the sender once the mail server replaces it', async () => {
    const { sendTest, user, alias, setFrom, waitForStatus, findAlias, owner, mailboxId } = await makeMailbox()
    await using _engine = openEngine(app, { sync: polled })
    await dovecot.deliver(user, await sendTest())
    await waitForStatus('verified')
    await setFrom(alias)
    const again = await sendTest()
    expect(await findAlias()).toMatchObject({ status: 'verified' })
    await dovecot.deliver(user, replaceSender(again, user))
    await waitForStatus('failing')
    expect((await findAlias())?.statusReason).toContain(`replaced the sender with ${user}`)
    expect(await owner.call('getMailbox', { mailboxId })).not.toHaveProperty('fromEmail')
  })

  it('is no longer the sender once a copy in the Sent folder shows that Gmail replaced it', async () => {
    const { sendTest, user, alias, setFrom, waitForStatus, launch, owner, mailboxId } = await makeMailbox()
    await using _engine = openEngine(app, { sync: polled })
    await dovecot.deliver(user, await sendTest())
    await waitForStatus('verified')
    await setFrom(alias)
    smtp.forget()
    await launch()
    await smtp.until(() => smtp.transfers.some(({ isComplete }) => isComplete))
    const sent = smtp.transfers[0]!.wire.subarray(0, -5).toString()
    await dovecot.doveadm(['save', '-u', user, '-m', 'Sent Items'], replaceSender(sent, user))
    await waitForStatus('failing')
    expect(await owner.call('getMailbox', { mailboxId })).not.toHaveProperty('fromEmail')
  })

  it('is verified by one email that Gmail lists as both sent and received', async () => {
    const { sendTest, user, waitForStatus } = await makeMailbox(gmail)
    await gmail.dovecot.deliver(user, await sendTest())
    await gmail.dovecot.doveadm([
      'flags',
      'add',
      '-u',
      user,
      '\\Flagged \\Answered',
      'mailbox',
      'INBOX',
      'all',
    ])
    await using _engine = openEngine(app, { sync: polled })
    await waitForStatus('verified')
  })

  it('is failing when the server refuses it, and is not added when the mailbox can’t send', async () => {
    const { add, alias, owner, mailboxId } = await makeMailbox()
    smtp.script = step => (step === 'MAIL' ? '550 5.2.252 SendAsDenied; not allowed to send' : undefined)
    expect((await add()).aliases).toMatchObject([
      { email: alias, status: 'failing', statusReason: expect.stringContaining('SendAsDenied') },
    ])
    await owner.call('pauseSending', {})
    await expect(add()).rejects.toMatchObject({ message: expect.stringContaining('paused all sending') })
    await owner.call('resumeSending', {})
    smtp.script = step => (step === 'CONNECT' ? '421 4.3.2 try again later' : undefined)
    await expect(add()).rejects.toMatchObject({ message: expect.stringContaining('was not sent') })
    await owner.call('updateMailbox', { mailboxId, smtp: { user: 'ada' } })
    await expect(add()).rejects.toMatchObject({ code: 'Conflict' })
  })

  it('is not tested when its address is on the Do Not Contact list, even if the address is added during the test', async () => {
    const { add, alias, owner } = await makeMailbox()
    const optOut = () => owner.call('addOptOuts', { identifiers: [{ identifier: alias }] })
    const refusal = { code: 'Conflict', message: expect.stringContaining('is on the Do Not Contact list') }
    let added: ReturnType<typeof optOut> | undefined
    smtp.script = step => {
      if (step !== 'EHLO' || added) return undefined
      added = optOut()
      return 'silent'
    }
    const first = add()
    await smtp.until(() => added !== undefined)
    await added
    smtp.answer('250-scripted.test\r\n250 AUTH PLAIN')
    await expect(first).rejects.toMatchObject(refusal)
    await expect(add()).rejects.toMatchObject(refusal)
    expect(smtp.transfers.filter(({ isComplete }) => isComplete)).toEqual([])
  })
})
