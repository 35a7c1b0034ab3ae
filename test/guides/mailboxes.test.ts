import { generateKeyPairSync } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { problemSeverities } from '../../src/server/domain/reports/problem-texts.ts'
import { makeCaller, testSecret } from '../support/app.ts'
import { openTestServer } from '../support/http/server.ts'
import { hasDovecot } from '../support/mail/dovecot.ts'
import { openMailProvider } from '../support/mail/oauth-mail.ts'
import { oauthClientId } from '../support/mail/oauth-server.ts'
import { databaseSettings } from '../support/processes/command-line.ts'
import { openTerminal, readShellBlocks } from '../support/processes/guide.ts'

const root = join(import.meta.dirname, '../..')

/** Returns the only block below this heading that contains this text. */
async function findBlock(heading: string, text: string): Promise<string> {
  const [block, another] = (await readShellBlocks('mailboxes.md', heading)).filter(each =>
    each.includes(text),
  )
  expect(another).toBeUndefined()
  return block!
}

const setup = `CLIENT_ID=${oauthClientId} TENANT_ID=navy.example; echo client-secret-1 > client-secret.txt`

it("the mailbox guide's commands register clients and start a sign-in at the provider", async () => {
  await using server = await openTestServer()
  const owner = await makeCaller(server.app)
  await using terminal = await openTerminal(server.url, await server.createToken(owner))
  await terminal.run(setup)
  const register = async (kind: string) =>
    terminal.run(await findBlock('Google and Microsoft', `--kind ${kind} `))
  expect(await register('google')).toMatchObject([{ kind: 'google', clientId: oauthClientId }])
  expect(await register('microsoft')).toMatchObject([{ adminConsentUrl: expect.any(String) }])
  const [connection] = await terminal.run(await findBlock('Google and Microsoft', 'connectMailbox'))
  const url = new URL((connection as { url: string }).url)
  expect(url.host).toBe('accounts.google.com')
  expect(url.searchParams.get('login_hint')).toBe('ada@acme.example')
  expect(url.searchParams.get('redirect_uri')).toContain('/settings/senders/connected')
})

describe.runIf(hasDovecot()).each(['google_service_account', 'microsoft_app'] as const)(
  "the mailbox guide's commands for %s",
  kind => {
    it('add a mailbox without a sign-in, and an alias', async () => {
      await using mail = await openMailProvider(
        kind === 'microsoft_app' ? 'microsoft' : 'google',
        'https://outreach.acme.example',
      )
      await using server = await openTestServer(mail.settings)
      const { app } = server
      const owner = await makeCaller(app)
      const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
      const issuer = 'overture@project.iam.gserviceaccount.example'
      mail.oauth.serviceAccounts.set(issuer, { key: privateKey, users: new Set(['ada@acme.example']) })
      mail.oauth.appMailboxes.set(oauthClientId, 'grace@navy.example')
      // Microsoft lets her send as the alias.
      mail.oauth.delegates.set('sales@acme.example', new Set(['grace@navy.example']))
      const keyFile = JSON.stringify({
        type: 'service_account',
        client_id: '1234567890',
        client_email: issuer,
        private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
      })
      await using terminal = await openTerminal(server.url, await server.createToken(owner), {
        ...databaseSettings(app.connection),
        ...mail.settings,
        OVERTURE_DATA: app.dataDir,
        OVERTURE_SECRET: testSecret,
      })
      await terminal.run(`${setup}\ncat > key.json <<'END'\n${keyFile}\nEND`)
      const [client, added] = await terminal.run(await findBlock('Google and Microsoft', `--kind ${kind} `))
      expect(client).toMatchObject({ kind, source: 'account' })
      expect(added).toContain('sends and receives')
      await terminal.run('MAILBOX=$(bin/overture api listMailboxes --output id)')
      const alias = { email: 'sales@acme.example', status: 'unverified' }
      const tested = await terminal.run(await findBlock('Aliases', 'addMailboxAlias'))
      expect(tested).toMatchObject([{ aliases: [alias] }, { aliases: [alias] }])
      // Simulates the arrival of the test email.
      await app.owner`update mailbox_aliases set status = 'verified'`
      const [sender] = await terminal.run(await findBlock('Aliases', '--fromEmail'))
      expect(sender).toMatchObject({ fromEmail: alias.email })
    })
  },
)

it('the mailbox guide quotes problems and reasons word for word', async () => {
  const guide = await readFile(join(root, 'docs/mailboxes.md'), 'utf8')
  const reasons = await readFile(join(root, 'src/server/protocols/mail-oauth/token-error.ts'), 'utf8')
  const [, section = ''] = guide.split('## Lost access')
  const quoted = (pattern: RegExp) => [...section.matchAll(pattern)].map(([, text]) => text)
  for (const kind of quoted(/`(mail\w*_\w+)`/g)) expect(Object.keys(problemSeverities)).toContain(kind)
  const quotes = quoted(/^\| `\w+`: “(.*?)”/gm)
  expect(quotes.length).toBeGreaterThan(0)
  for (const reason of quotes) expect(reasons).toContain(`'${reason}`)
})
