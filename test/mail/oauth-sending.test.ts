import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { claimRevocations, performRevocation } from '../../src/server/domain/mailboxes/revoke-grants.ts'
import { openEngine } from '../../src/server/engine/loop.ts'
import { hasDovecot } from '../support/mail/dovecot.ts'
import { openWorker } from '../support/mail/mail-campaign.ts'
import type { OAuthFault } from '../support/mail/oauth-faults.ts'
import { makeOAuthUser } from '../support/mail/oauth-grants.ts'
import { makeOAuthMailbox, type OAuthMail, openOAuthMail } from '../support/mail/oauth-mail.ts'
import { oauthClientId } from '../support/mail/oauth-server.ts'

const HOUR_MS = 3_600_000

describe.runIf(hasDovecot()).each(['google', 'microsoft'] as const)('with a mailbox at %s,', mode => {
  let mail: OAuthMail
  beforeAll(async () => {
    mail = await openOAuthMail(mode)
  })
  afterAll(() => mail[Symbol.asyncDispose]())
  afterEach(async () => {
    mail.oauth.onToken = () => undefined
    mail.oauth.restore()
    mail.smtp.refusal = undefined
    mail.smtp.emails.length = 0
    mail.oauth.tokenRequests.length = 0
    // Mailboxes of other tests must not send or be synced in this one.
    await mail.app.owner`update campaigns set status = 'paused' where status = 'active'`
    await mail.app.owner`delete from mailbox_syncs`
  })

  /** Creates a connected mailbox and a launched campaign for one person. */
  async function makeCampaign() {
    mail.app.setNow(new Date())
    const mailbox = await makeOAuthMailbox(mail)
    await mailbox.connect()
    const { owner, repId } = mailbox
    await owner.call('updateAccount', { postalAddress: '12 St James Square', optOutLine: 'Reply stop.' })
    const { id: campaignId } = await owner.call('createCampaign', {
      name: 'Spring',
      repIds: [repId],
      steps: [{ subject: 'Hello', body: 'Hi' }],
    })
    await owner.call('addProspectsToCampaign', { campaignId, data: [{ email: 'grace@navy.example' }] })
    await owner.call('launchCampaign', { campaignId })
    mail.oauth.tokenRequests.length = 0
    return {
      ...mailbox,
      problems: async () => (await owner.call('listProblems', {})).data,
      status: async () => (await owner.call('getMailbox', { mailboxId: mailbox.mailboxId })).status,
    }
  }

  it('an email is sent with a new token when the server no longer accepts the old one', async () => {
    const { status } = await makeCampaign()
    await using worker = openWorker(mail.app)
    mail.oauth.expireAccessTokens()
    await worker.work()
    expect(mail.smtp.emails).toHaveLength(1)
    expect(mail.oauth.tokenRequests).toHaveLength(1)
    expect(await status()).toBe('active')
  })

  it('an email that the server refuses even with a new token marks the mailbox as failing, without further token requests', async () => {
    const { problems, status } = await makeCampaign()
    await using worker = openWorker(mail.app)
    mail.smtp.refusal = { code: 535, text: '5.7.3 Authentication unsuccessful' }
    await worker.work()
    expect(mail.smtp.emails).toHaveLength(0)
    expect(await status()).toBe('failing')
    expect(mail.oauth.tokenRequests).toHaveLength(1)
    expect(await problems()).toMatchObject([
      { kind: 'mailbox_failing', message: expect.stringContaining('rejected the access token') },
    ])
    mail.smtp.refusal = undefined
    await worker.workAfter(7 * HOUR_MS)
    await worker.workAfter(7 * HOUR_MS)
    expect(mail.smtp.emails).toHaveLength(1)
  })

  it.each([
    ['unavailable', 'active', []],
    ['throttled', 'active', []],
    ['secretExpired', 'active', ['mail_client_failing']],
    ['notMultiTenant', 'active', ['mail_client_failing']],
    ['noConsent', 'failing', ['mailbox_consent_missing']],
    ['appAbsent', 'failing', ['mailbox_consent_missing']],
    ['revoked', 'failing', ['mailbox_disconnected']],
    ['conditionalAccess', 'failing', ['mailbox_disconnected']],
  ] as [OAuthFault, string, string[]][])(
    'an email is delayed while the provider returns %s: the mailbox is %s, the problems are %j, and the email is sent once afterwards',
    async (fault, expected, kinds) => {
      const { problems, status, owner, mailboxId } = await makeCampaign()
      await using worker = openWorker(mail.app)
      mail.app.setNow(new Date(Date.now() + HOUR_MS))
      mail.oauth.onToken = () => fault
      await worker.work()
      expect(mail.smtp.emails).toHaveLength(0)
      expect(await status()).toBe(expected)
      const found = await problems()
      expect(found.map(({ kind }) => kind)).toEqual(kinds)
      if (mode === 'microsoft' && kinds[0] === 'mailbox_consent_missing')
        expect(found[0]!.url).toContain(`/adminconsent?client_id=${oauthClientId}`)
      mail.oauth.onToken = () => undefined
      await worker.workAfter(7 * HOUR_MS)
      await worker.workAfter(7 * HOUR_MS)
      expect(mail.smtp.emails).toHaveLength(1)
      expect(await problems()).toEqual([])
      expect(await owner.call('getMailbox', { mailboxId })).toMatchObject({ status: 'active' })
    },
  )

  it('an email is sent as soon as the mailbox is connected again', async () => {
    const { connect, email, problems } = await makeCampaign()
    await using worker = openWorker(mail.app)
    mail.oauth.revoke('revoked', email)
    mail.app.setNow(new Date(Date.now() + HOUR_MS - 3 * 60_000))
    await worker.work()
    expect(await problems()).toMatchObject([{ kind: 'mailbox_disconnected' }])
    await connect()
    await worker.workAfter(10 * 60_000)
    expect(mail.smtp.emails).toHaveLength(1)
    expect(await problems()).toEqual([])
  })

  it('replies are received with tokens, and again after the provider ended the session', async () => {
    const { owner, email, mailboxId } = await makeCampaign()
    const settings = { pollMs: 300, backoff: { baseMs: 100, maxMs: 400 } }
    const received = async () => (await owner.call('listEmailMessages', {})).data
    await using _engine = openEngine(mail.app, { sync: settings })
    await vi.waitFor(() => expect(mail.smtp.emails).toHaveLength(1), { timeout: 30_000 })
    const [sent] = mail.smtp.emails
    const reply = (id: string) =>
      `Message-ID: <${id}@navy.example>\r\nIn-Reply-To: ${sent!.messageId}\r\nFrom: grace@navy.example\r\nTo: ${email}\r\nSubject: Re: Hello\r\n\r\nYes\r\n`
    await mail.dovecot.deliver(email, reply('first'))
    const count = async (expected: number) =>
      vi.waitFor(
        async () => {
          // The clock of a test does not advance by itself.
          mail.app.setNow(new Date())
          expect((await received()).filter(({ type }) => type === 'received')).toHaveLength(expected)
        },
        { timeout: 30_000 },
      )
    await count(1)
    mail.oauth.expireAccessTokens()
    await mail.dovecot.doveadm(['kick', email])
    await mail.dovecot.deliver(email, reply('second'))
    await count(2)
    await vi.waitFor(
      async () =>
        expect(await owner.call('getMailbox', { mailboxId })).toMatchObject({ syncStatus: 'syncing' }),
      { timeout: 30_000 },
    )
  })

  it('tokens are deleted with the mailbox, and revoked at Google unless the same user gave access to another mailbox', async () => {
    mail.app.setNow(new Date())
    const [first, second] = [await makeOAuthMailbox(mail), await makeOAuthMailbox(mail)]
    const user = { ...makeOAuthUser(first.email), sub: 'same', oid: 'same' }
    await first.connect(user)
    await second.connect({ ...makeOAuthUser(second.email), sub: 'same', oid: 'same' })
    const revoked = async ({ owner, mailboxId }: typeof first) => {
      await owner.call('deleteMailbox', { mailboxId })
      const before = mail.oauth.revoked.length
      for (const key of await claimRevocations(mail.app.db.engine, { now: mail.app.now(), limit: 10 }))
        await performRevocation(mail.app, key)
      const left = await mail.app.owner`select from mailbox_grants where mailbox_id = ${mailboxId}`
      expect(left.count).toBe(0)
      return mail.oauth.revoked.length - before
    }
    expect(await revoked(first)).toBe(0)
    expect(await revoked(second), 'Microsoft has no revocation').toBe(mode === 'google' ? 1 : 0)
  })
})
