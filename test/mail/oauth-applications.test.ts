import { generateKeyPairSync, randomUUIDv7 } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { makeCaller } from '../support/app.ts'
import { hasDovecot } from '../support/mail/dovecot.ts'
import { type OAuthMail, openOAuthMail } from '../support/mail/oauth-mail.ts'
import { oauthClientId } from '../support/mail/oauth-server.ts'

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const issuer = 'overture@project.iam.gserviceaccount.example'
const keyFile = JSON.stringify({
  type: 'service_account',
  client_id: '1234567890',
  client_email: issuer,
  private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
})

describe.runIf(hasDovecot()).each(['google', 'microsoft'] as const)(
  'a mailbox opened by a %s application',
  mode => {
    let mail: OAuthMail
    beforeAll(async () => {
      mail = await openOAuthMail(mode)
      mail.oauth.serviceAccounts.set(issuer, { key: privateKey, users: new Set() })
    })
    afterAll(() => mail[Symbol.asyncDispose]())
    afterEach(() => {
      mail.oauth.onToken = () => undefined
    })

    const provider = mode === 'google' ? ('google_service_account' as const) : ('microsoft_app' as const)

    /** Creates a mailbox whose user the application may act for, unless `isDelegated` is false. */
    async function makeMailbox({ isDelegated = true } = {}) {
      const owner = await makeCaller(mail.app)
      await owner.call(
        'setMailClient',
        provider === 'google_service_account'
          ? { kind: provider, secret: keyFile }
          : { kind: provider, clientId: oauthClientId, secret: 'client-secret-1', tenant: 'acme.example' },
      )
      const { id: repId } = await owner.call('createRep', { name: 'Ada Byron' })
      const email = `ada-${randomUUIDv7()}@acme.example`
      const { id: mailboxId } = await owner.call('createMailbox', { repId, kind: 'smtp', email, provider })
      if (isDelegated) mail.oauth.serviceAccounts.get(issuer)!.users.add(email)
      mail.oauth.appMailboxes.set(oauthClientId, email)
      const verify = () => owner.call('verifyMailbox', { mailboxId })
      return { owner, email, mailboxId, verify }
    }

    it("signs in as its user, without the user's help", async () => {
      const { verify, owner, email, mailboxId } = await makeMailbox()
      expect(await verify()).toMatchObject({ status: 'active', smtp: { user: email }, imap: { user: email } })
      expect(mail.smtp.signIns.at(-1)).toMatchObject({ user: email })
      await expect(owner.call('connectMailbox', { mailboxId })).rejects.toMatchObject({
        code: 'ValidationError',
      })
    })

    it('keeps its IMAP settings, without which no reply would stop a sequence', async () => {
      const { owner, mailboxId } = await makeMailbox()
      await expect(owner.call('updateMailbox', { mailboxId, imap: null })).rejects.toMatchObject({
        code: 'ValidationError',
        details: [{ path: 'imap' }],
      })
      expect(await owner.call('getMailbox', { mailboxId })).toHaveProperty('imap')
    })

    it.runIf(mode === 'google')(
      'is failing until an administrator delegates to the service account',
      async () => {
        const { verify, email, owner } = await makeMailbox({ isDelegated: false })
        expect(await verify()).toMatchObject({
          status: 'failing',
          connection: { error: { resolvedBy: 'admin' } },
        })
        const { data } = await owner.call('listProblems', {})
        expect(data[0]).toMatchObject({ message: expect.stringContaining('delegate the scope') })
        mail.oauth.serviceAccounts.get(issuer)!.users.add(email)
        expect(await verify()).toMatchObject({ status: 'active' })
      },
    )

    it.runIf(mode === 'microsoft')(
      'is failing until an administrator consents, and its problem links to the consent page',
      async () => {
        const { verify, owner } = await makeMailbox()
        const other = {
          clientId: '55556666-aaaa-2222-bbbb-3333cccc4444',
          secret: 'client-secret-2',
          tenant: 'other.example',
        }
        await owner.call('setMailClient', { kind: 'microsoft', ...other })
        mail.oauth.onToken = () => 'noConsent'
        expect(await verify()).toMatchObject({
          status: 'failing',
          connection: { error: { resolvedBy: 'admin' } },
        })
        const { data } = await owner.call('listProblems', {})
        const url = new URL(data[0]!.url!)
        expect(url.pathname).toBe('/acme.example/v2.0/adminconsent')
        expect(url.searchParams.get('scope')).toBe('https://outlook.office365.com/.default')
        mail.oauth.onToken = () => undefined
        const back = await mail.oauth.visit(url.href)
        expect(back.searchParams.get('admin_consent')).toBe('True')
        expect(await verify()).toMatchObject({ status: 'active' })
      },
    )
  },
)

it.runIf(hasDovecot())(
  'a mailbox with a password is upgraded to OAuth and stays the same mailbox',
  async () => {
    await using mail = await openOAuthMail('google')
    const owner = await makeCaller(mail.app)
    const client = { kind: 'google', clientId: oauthClientId, secret: 'client-secret-1' } as const
    await owner.call('setMailClient', { ...client, publishingStatus: 'internal' })
    const { id: repId } = await owner.call('createRep', { name: 'Ada Byron' })
    const email = `ada-${randomUUIDv7()}@acme.example`
    const smtp = { host: '127.0.0.1', port: 1, tls: 'none' as const, user: email, password: 'secret' }
    const { id: mailboxId } = await owner.call('createMailbox', {
      ...{ repId, kind: 'smtp', email, smtp, dailyCap: 40, senderName: 'Ada' },
    })
    const { url } = await owner.call('connectMailbox', { mailboxId, provider: 'google' })
    mail.oauth.user = { ...mail.oauth.user, email }
    const { searchParams } = await mail.oauth.visit(url)
    const redirect = { state: searchParams.get('state')!, code: searchParams.get('code')! }
    expect(await owner.call('completeMailboxConnection', redirect)).toMatchObject({
      ...{ id: mailboxId, status: 'active', dailyCap: 40, senderName: 'Ada' },
      ...{ smtp: { port: mail.smtp.port, user: email }, connection: { user: email } },
    })
    const [row] = await mail.app.owner`select smtp_password from mailboxes where id = ${mailboxId}`
    expect(row!.smtp_password).toBeNull()
  },
)
