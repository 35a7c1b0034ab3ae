import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { openEngine } from '../../src/server/engine/loop.ts'
import { makeReply } from '../support/mail/answers.ts'
import { hasDovecot } from '../support/mail/dovecot.ts'
import { makeOAuthUser } from '../support/mail/oauth-grants.ts'
import { makeOAuthMailbox, type OAuthMail, openOAuthMail } from '../support/mail/oauth-mail.ts'

const WAIT = { timeout: 180_000, interval: 100 }
const polled = { pollMs: 300, backoff: { baseMs: 100, maxMs: 400 } }
const ada = makeOAuthUser('ada@acme.example')
const bob = makeOAuthUser('bob@acme.example')

describe.runIf(hasDovecot())('a shared Microsoft mailbox', () => {
  let mail: OAuthMail
  beforeAll(async () => {
    mail = await openOAuthMail('microsoft')
  })
  afterAll(() => mail[Symbol.asyncDispose]())
  afterEach(async () => {
    mail.smtp.emails.length = 0
    await mail.app.owner`update campaigns set status = 'paused' where status = 'active'`
    await mail.app.owner`delete from mailbox_syncs`
  })

  /** Creates a mailbox that these users may open and send as. */
  async function makeShared(users = [ada], isShared = true) {
    mail.app.setNow(new Date())
    const mailbox = await makeOAuthMailbox(mail, { isShared })
    mail.oauth.delegates.set(mailbox.email, new Set(users.map(({ upn }) => upn)))
    return { ...mailbox, get: () => mailbox.owner.call('getMailbox', { mailboxId: mailbox.mailboxId }) }
  }

  const findMails = async (user: string, folder: string) =>
    mail.dovecot.doveadm(['fetch', '-u', user, 'hdr.from hdr.subject', 'mailbox', folder, 'all'])

  it('is opened by a user who signs in as themselves', async () => {
    const { owner, mailboxId, email, connect } = await makeShared()
    const { url } = await owner.call('connectMailbox', { mailboxId })
    expect(new URL(url).searchParams.get('login_hint'), 'nobody signs in as a shared mailbox').toBeNull()
    expect(await connect(ada)).toMatchObject({
      status: 'active',
      syncStatus: 'waiting',
      smtp: { user: ada.upn },
      imap: { user: email },
      connection: { isShared: true, user: ada.upn },
      savesSentCopies: true,
    })
    const again = await owner.call('connectMailbox', { mailboxId })
    expect(new URL(again.url).searchParams.get('login_hint')).toBe(ada.upn)
  })

  it('sends under its own address, keeps the copy, and receives the reply, which stops the sequence', async () => {
    const { owner, repId, email, connect } = await makeShared()
    await connect(ada)
    await owner.call('updateAccount', { postalAddress: '12 St James Square', optOutLine: 'Reply stop.' })
    const steps = [
      { subject: 'Hello', body: 'Hi' },
      { delay: { amount: 1, unit: 'days' as const }, body: 'Did you see this?' },
    ]
    const { id: campaignId } = await owner.call('createCampaign', { name: 'Spring', repIds: [repId], steps })
    await owner.call('addProspectsToCampaign', { campaignId, data: [{ email: 'grace@navy.example' }] })
    await owner.call('launchCampaign', { campaignId })
    await using _engine = openEngine(mail.app, { sync: polled })
    const until = (check: () => Promise<void>) =>
      vi.waitFor(() => {
        // The clock of a test does not advance by itself. A minute ahead, copies are due.
        mail.app.setNow(new Date(Date.now() + 60_000))
        return check()
      }, WAIT)
    await until(async () => expect(mail.smtp.emails).toHaveLength(1))
    const [sent] = mail.smtp.emails
    expect(sent).toMatchObject({ from: { address: email } })
    expect(mail.smtp.signIns.at(-1)).toMatchObject({ user: ada.upn })
    await until(async () => expect(await findMails(email, 'Sent Items')).toContain('Hello'))
    expect(await findMails(ada.upn, 'Sent Items')).toBe('')
    await mail.dovecot.deliver(email, makeReply({ to: 'grace@navy.example', mail: sent! }))
    await until(async () => {
      const { data } = await owner.call('listProspects', { campaignId })
      expect(data).toMatchObject([{ status: 'replied' }])
    })
  })

  it('says which right its user lacks', async () => {
    const { owner, mailboxId, email, connect, get } = await makeShared([])
    expect(await connect(ada)).toMatchObject({
      status: 'active',
      syncStatus: 'failing',
      syncStatusReason: expect.stringContaining('Add-MailboxPermission'),
    })
    const { id: personId } = await owner.call('createPerson', { email: 'grace@navy.example' })
    await using _engine = openEngine(mail.app, { sync: polled })
    await owner.call('composeEmail', { personId, mailboxId, subject: 'Lunch?', body: 'On Monday?' })
    await vi.waitFor(async () => {
      const { status, statusReason } = await get()
      expect(status).toBe('failing')
      expect(statusReason).toContain('Add-RecipientPermission')
    }, WAIT)
    expect(mail.smtp.emails).toHaveLength(0)
    mail.oauth.delegates.set(email, new Set([ada.upn]))
    expect(await owner.call('verifyMailbox', { mailboxId })).toMatchObject({
      status: 'active',
      // The engine may already have started to sync the mailbox.
      syncStatus: expect.stringMatching(/^(waiting|syncing)$/),
    })
  })

  it('is connected again by another user who may open it', async () => {
    const { mailboxId, connect } = await makeShared([ada, bob])
    await connect(ada)
    expect(await connect(bob)).toMatchObject({
      id: mailboxId,
      status: 'active',
      smtp: { user: bob.upn },
      connection: { user: bob.upn },
    })
  })

  it('is recognized when a user connects it as their own, and can then be connected as shared', async () => {
    const { connect, email } = await makeShared([ada], false)
    await expect(connect(ada)).rejects.toMatchObject({
      message: `You signed in as ${ada.upn}, which is not ${email}. Sign in with that account, or connect it as a shared mailbox.`,
    })
    expect(await connect(ada, { isShared: true })).toMatchObject({
      status: 'active',
      imap: { user: email },
      connection: { isShared: true },
      savesSentCopies: true,
    })
    const owner = makeOAuthUser(email)
    await expect(connect(ada, { isShared: false }), 'no longer shared').rejects.toMatchObject({
      message: expect.stringContaining(`which is not ${email}`),
    })
    expect(await connect(owner, { isShared: false })).toMatchObject({
      status: 'active',
      smtp: { user: email },
      connection: { isShared: false },
      savesSentCopies: false,
    })
    await expect(connect(ada), 'connected by its owner').rejects.toMatchObject({
      message: expect.stringContaining(`was connected by ${email}`),
    })
  })

  it('replaces a mailbox that signed in with a password', async () => {
    const { owner, repId } = await makeShared()
    const email = `sales-${repId}@acme.example`
    mail.oauth.delegates.set(email, new Set([ada.upn]))
    const smtp = { host: '127.0.0.1', port: mail.smtp.port, tls: 'none' as const, user: email, password: 'x' }
    const { id: mailboxId } = await owner.call('createMailbox', { repId, kind: 'smtp', email, smtp })
    await expect(
      owner.call('connectMailbox', { mailboxId, provider: 'google', isShared: true }),
    ).rejects.toMatchObject({ code: 'ValidationError' })
    mail.oauth.user = ada
    const { url } = await owner.call('connectMailbox', { mailboxId, provider: 'microsoft', isShared: true })
    const { searchParams } = await mail.oauth.visit(url)
    const connected = await owner.call('completeMailboxConnection', {
      state: searchParams.get('state')!,
      code: searchParams.get('code')!,
    })
    expect(connected).toMatchObject({ status: 'active', smtp: { user: ada.upn }, imap: { user: email } })
  })
})
