import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { getAccessToken } from '../../src/server/domain/mailboxes/access-token.ts'
import { claimProbes } from '../../src/server/domain/mailboxes/circuit-breaker.ts'
import { inSession, makeCaller } from '../support/app.ts'
import { hasDovecot } from '../support/mail/dovecot.ts'
import { makeOAuthUser } from '../support/mail/oauth-grants.ts'
import { makeOAuthMailbox, type OAuthMail, openOAuthMail } from '../support/mail/oauth-mail.ts'

describe.runIf(hasDovecot()).each(['google', 'microsoft'] as const)('a mailbox at %s', mode => {
  let mail: OAuthMail
  beforeAll(async () => {
    mail = await openOAuthMail(mode)
  })
  afterAll(() => mail[Symbol.asyncDispose]())
  afterEach(() => {
    Object.assign(mail.oauth, { denial: undefined, grantedScope: undefined, onToken: () => undefined })
    mail.smtp.refusal = undefined
  })

  it('is connected by signing in, and sends and receives with tokens', async () => {
    const { owner, mailboxId, email, connect, kind } = await makeOAuthMailbox(mail)
    expect(await owner.call('getMailbox', { mailboxId })).toMatchObject({
      status: 'unverified',
      connection: { provider: kind },
    })
    expect(await connect()).toMatchObject({
      status: 'active',
      smtp: { user: email },
      imap: { user: email },
      connection: { provider: kind, user: email, connectedAt: expect.any(String) },
    })
    expect(mail.smtp.signIns.at(-1)).toMatchObject({ user: email })
    const { connection } = await owner.call('getMailbox', { mailboxId })
    expect(connection).not.toHaveProperty('error')
  })

  it('is connected only by the user and session that started the sign-in, once, and before the sign-in expires', async () => {
    const { owner, mailboxId, signIn, email } = await makeOAuthMailbox(mail)
    const redirect = await signIn()
    const colleague = await makeCaller(mail.app, 'admin', owner.accountId)
    const refused = {
      code: 'ValidationError',
      message: expect.stringMatching(/^This sign-in was .* Connect the mailbox again\.$/),
    }
    await expect(colleague.call('completeMailboxConnection', redirect)).rejects.toMatchObject(refused)
    const session = inSession(owner)
    const { url } = await session.call('connectMailbox', { mailboxId })
    mail.oauth.user = makeOAuthUser(email)
    const params = (await mail.oauth.visit(url)).searchParams
    const inOtherSession = { state: params.get('state')!, code: params.get('code')! }
    await expect(owner.call('completeMailboxConnection', inOtherSession)).rejects.toMatchObject(refused)
    await expect(owner.call('completeMailboxConnection', redirect), 'replaced').rejects.toMatchObject(refused)
    expect(await session.call('completeMailboxConnection', inOtherSession)).toMatchObject({
      status: 'active',
    })
    await expect(session.call('completeMailboxConnection', inOtherSession)).rejects.toMatchObject(refused)
    const late = await signIn()
    mail.app.setNow(new Date(Date.now() + 31 * 60_000))
    await expect(owner.call('completeMailboxConnection', late)).rejects.toMatchObject(refused)
    mail.app.setNow(new Date())
  })

  it("is not connected to somebody else's account, which the error names", async () => {
    const { connect, owner, mailboxId, email } = await makeOAuthMailbox(mail)
    const stranger = makeOAuthUser('stranger@acme.example')
    await expect(connect(stranger)).rejects.toMatchObject({
      code: 'Conflict',
      message: expect.stringContaining(`You signed in as stranger@acme.example, which is not ${email}.`),
    })
    expect(await owner.call('getMailbox', { mailboxId })).toMatchObject({
      status: 'unverified',
      signIn: { error: expect.stringContaining('stranger@acme.example') },
    })
    expect(await connect()).not.toHaveProperty('signIn')
  })

  it('shows no sign-in result before the provider responds, and reports an interrupted sign-in', async () => {
    const { connect, signIn, owner, mailboxId } = await makeOAuthMailbox(mail)
    const requested = Promise.withResolvers<void>()
    const response = Promise.withResolvers<undefined>()
    mail.oauth.onToken = () => {
      requested.resolve()
      return response.promise
    }
    const connecting = connect()
    await requested.promise
    const { signIn: waiting } = await owner.call('getMailbox', { mailboxId })
    expect(waiting).toEqual({ expiresAt: expect.any(String) })
    response.resolve(undefined)
    expect(await connecting).toMatchObject({ status: 'active' })
    // Simulates a process that was killed while it waited for the provider.
    await signIn()
    await mail.app.owner`
      update mailbox_connections set used_at = now() - interval '61 seconds' where mailbox_id = ${mailboxId}`
    expect(await owner.call('getMailbox', { mailboxId })).toMatchObject({
      signIn: { error: 'The sign-in was interrupted. Connect the mailbox again.' },
    })
  })

  it('stays the same mailbox when the same provider account connects it again, and rejects any other account', async () => {
    const { connect, owner, mailboxId, email } = await makeOAuthMailbox(mail)
    await connect()
    mail.oauth.revoke('revoked', email)
    const successor = { ...makeOAuthUser(email), sub: 'another', oid: 'another' }
    await expect(connect(successor)).rejects.toMatchObject({
      message: expect.stringContaining(`was connected by ${email}`),
    })
    expect(await connect()).toMatchObject({ id: mailboxId, status: 'active' })
    expect((await owner.call('listMailboxes', {})).data).toHaveLength(1)
  })

  it('reports which permission is missing, or that access was denied', async () => {
    const { connect, signIn, owner } = await makeOAuthMailbox(mail)
    mail.oauth.grantedScope = 'openid email offline_access'
    await expect(connect()).rejects.toMatchObject({
      message: expect.stringContaining('permissions selected'),
    })
    mail.oauth.grantedScope = undefined
    mail.oauth.denial = 'access_denied'
    await expect(owner.call('completeMailboxConnection', await signIn())).rejects.toMatchObject({
      message: expect.stringContaining('administrator'),
    })
    mail.oauth.denial = 'admin_policy_enforced'
    await expect(owner.call('completeMailboxConnection', await signIn())).rejects.toMatchObject({
      message: expect.stringContaining('API controls → Manage app access'),
    })
  })

  it('replaces a token that the mail servers no longer accept', async () => {
    const { connect, owner, mailboxId, email } = await makeOAuthMailbox(mail)
    await connect()
    mail.oauth.expireAccessTokens()
    mail.oauth.tokenRequests.length = 0
    expect(await owner.call('verifyMailbox', { mailboxId })).toMatchObject({ status: 'active' })
    expect(mail.oauth.tokenRequests).toHaveLength(1)
    expect(mail.smtp.signIns.filter(({ user }) => user === email)).toHaveLength(3)
  })

  it.runIf(mode === 'microsoft')(
    'reports what an administrator must do when Microsoft has turned off SMTP, and requests no new token',
    async () => {
      const { connect, owner, mailboxId } = await makeOAuthMailbox(mail)
      await connect()
      mail.oauth.tokenRequests.length = 0
      const text = '5.7.139 Authentication unsuccessful, SmtpClientAuthentication is disabled for the Tenant.'
      mail.smtp.refusal = { code: 535, text }
      expect(await owner.call('verifyMailbox', { mailboxId })).toMatchObject({
        status: 'failing',
        statusReason: expect.stringContaining('Set-CASMailbox'),
      })
      expect(mail.oauth.tokenRequests).toHaveLength(0)
    },
  )

  it('reports why its connection does not work, and who can resolve it', async () => {
    const { connect, owner, mailboxId, email } = await makeOAuthMailbox(mail)
    await connect()
    for (const [fault, resolvedBy] of [
      ['passwordChanged', 'user'],
      ['noConsent', 'admin'],
      ['secretExpired', 'operator'],
      ['unavailable', 'nobody'],
    ] as const) {
      mail.oauth.onToken = () => fault
      mail.oauth.expireAccessTokens()
      const mailbox = await owner.call('verifyMailbox', { mailboxId })
      expect(mailbox, fault).toMatchObject({ status: 'failing', connection: { error: { resolvedBy } } })
      const { data } = await owner.call('listProblems', {})
      for (const { nextStep } of data) expect(nextStep, fault).not.toMatch(/password|settings of/)
      if (fault === 'unavailable')
        expect(data).toMatchObject([
          {
            ...{ kind: 'mail_provider_unavailable', severity: 'low' },
            message: expect.stringContaining(`provider of ${email} is unavailable: `),
            nextStep: expect.stringContaining('retries automatically'),
          },
        ])
      mail.oauth.onToken = () => undefined
      expect(await owner.call('verifyMailbox', { mailboxId })).toMatchObject({ status: 'active' })
    }
  })

  it('is due for another probe as soon as its provider issues tokens again', async () => {
    const { connect, owner, mailboxId } = await makeOAuthMailbox(mail)
    await connect()
    mail.oauth.onToken = () => 'unavailable'
    mail.oauth.expireAccessTokens()
    expect(await owner.call('verifyMailbox', { mailboxId })).toMatchObject({ status: 'failing' })
    mail.oauth.onToken = () => undefined
    const claim = async () =>
      (await claimProbes(mail.app.db.engine, { now: mail.app.now(), limit: 100 })).map(each => each.mailboxId)
    expect(await claim()).not.toContain(mailboxId)
    await mail.app.owner`update mailbox_grants set access_expires_at = now() where mailbox_id = ${mailboxId}`
    // The engine does this to read replies.
    await getAccessToken(mail.app, { accountId: owner.accountId, mailboxId }, { ignoresBackoff: true })
    expect(await claim()).toContain(mailboxId)
  })

  it('never sends its token to a server that a user chose', async () => {
    const { connect, owner, mailboxId } = await makeOAuthMailbox(mail)
    await connect()
    for (const change of [{ smtp: { host: 'evil.example' } }, { imap: { host: 'evil.example' } }])
      await expect(owner.call('updateMailbox', { mailboxId, ...change })).rejects.toMatchObject({
        code: 'ValidationError',
        message: expect.stringContaining('set by the provider'),
      })
  })
})
