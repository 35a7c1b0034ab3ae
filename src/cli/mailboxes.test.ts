import { on, once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SMTPServer } from 'smtp-server'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Caller, makeCaller, openTestApp, type TestApp, testSecret } from '../../test/support/app.ts'
import { openDnsServer } from '../../test/support/mail/dns-server.ts'
import { Dovecot, dovecotPassword, hasDovecot } from '../../test/support/mail/dovecot.ts'
import { makeOAuthUser } from '../../test/support/mail/oauth-grants.ts'
import { makeOAuthMailbox, type OAuthMail, openOAuthMail } from '../../test/support/mail/oauth-mail.ts'
import { databaseSettings, runCli, startCli } from '../../test/support/processes/command-line.ts'

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'overture-cli-'))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

const toSettings = (app: TestApp, settings: Record<string, string>) => ({
  ...databaseSettings(app.connection),
  ...settings,
  OVERTURE_DATA: dir,
  OVERTURE_SECRET: testSecret,
})

describe.runIf(hasDovecot()).each(['google', 'microsoft'] as const)('the mailbox command with %s', mode => {
  let mail: OAuthMail
  beforeAll(async () => {
    mail = await openOAuthMail(mode)
  })
  afterAll(() => mail[Symbol.asyncDispose]())
  afterEach(() => {
    Object.assign(mail.oauth, { denial: undefined, onToken: () => undefined })
  })

  /** Starts a command that waits for a sign-in, and returns the URL that it prints. */
  const start = async ({ accountId }: Caller, ...args: string[]) => {
    const settings = toSettings(mail.app, mail.settings)
    const running = startCli(['mailbox', ...args, '--account', accountId], settings, null)
    const ended = running.ended()
    let printed = ''
    for await (const [chunk] of on(running.child.stderr, 'data', { close: ['end'] })) {
      printed += chunk
      const url = /^http\S+$/m.exec(printed)?.[0]
      if (url && printed.includes('Waiting')) return { url, ended, child: running.child }
    }
    throw new Error(`No URL was printed: ${printed}`)
  }
  const visit = async (url: string, email: string) => {
    mail.oauth.user = makeOAuthUser(email)
    return mail.oauth.visit(url)
  }

  it('connects the mailbox once the user has signed in with a browser', async () => {
    const { owner, email, kind } = await makeOAuthMailbox(mail)
    const { url, ended } = await start(owner, 'connect', email, '--json')
    const { searchParams } = await visit(url, email)
    await owner.call('completeMailboxConnection', {
      state: searchParams.get('state')!,
      code: searchParams.get('code')!,
    })
    const { code, stdout, stderr } = await ended
    expect({ code, stderr }).toMatchObject({ code: 0 })
    expect(JSON.parse(stdout)).toMatchObject({ email, status: 'active', connection: { provider: kind } })
  })

  it('adds and connects a mailbox from the pasted redirect URL, without signing in to Overture', async () => {
    const { owner, kind } = await makeOAuthMailbox(mail)
    const email = `grace-${owner.userId}@acme.example`
    const { url, ended, child } = await start(
      owner,
      ...['add', '--rep', 'Grace', '--email', email, '--provider', kind],
    )
    const last = await visit(url, email)
    child.stdin.write(`not a URL\n${last.origin}/?state=old&code=old\n${last}\n`)
    expect(await ended).toMatchObject({ code: 0, stdout: expect.stringContaining('sends and receives') })
  })

  it('connects the mailbox however long the provider takes to issue tokens', async () => {
    const { owner, email } = await makeOAuthMailbox(mail)
    const { url, ended } = await start(owner, 'connect', email)
    const { searchParams } = await visit(url, email)
    mail.oauth.onToken = async () => {
      await untilPolled()
      return undefined
    }
    await owner.call('completeMailboxConnection', {
      state: searchParams.get('state')!,
      code: searchParams.get('code')!,
    })
    expect(await ended).toMatchObject({ code: 0, stdout: expect.stringContaining('sends and receives') })
  })

  /** Resolves once the waiting command has queried the database again. */
  const untilPolled = async () => {
    const { owner } = mail.app
    const [begun] = await owner`select clock_timestamp() as at`
    // Only the command sends queries now: this process just waits for the provider.
    const polls = () => owner`
      select from pg_stat_activity
       where datname = current_database() and query not like '%pg_stat_activity%' and query_start > ${begun!.at}`
    await vi.waitFor(async () => expect(await polls()).not.toHaveLength(0), { timeout: 180_000 })
  }

  it.runIf(mode === 'microsoft')('connects a shared mailbox with --shared', async () => {
    const { owner, email } = await makeOAuthMailbox(mail)
    const user = 'bob@acme.example'
    mail.oauth.delegates.set(email, new Set([user]))
    const { url, ended, child } = await start(owner, 'connect', email, '--shared')
    child.stdin.write(`${await visit(url, user)}\n`)
    expect(await ended).toMatchObject({ code: 0, stdout: expect.stringContaining('sends and receives') })
    const { data } = await owner.call('listMailboxes', {})
    expect(data).toMatchObject([{ email, connection: { isShared: true, user } }])
  })

  it('reports why the sign-in failed and adds no mailbox', async () => {
    const { owner, email, kind } = await makeOAuthMailbox(mail)
    const connecting = await start(owner, 'connect', email)
    const { searchParams } = await visit(connecting.url, 'stranger@acme.example')
    await expect(
      owner.call('completeMailboxConnection', {
        state: searchParams.get('state')!,
        code: searchParams.get('code')!,
      }),
    ).rejects.toMatchObject({ code: 'Conflict' })
    expect(await connecting.ended).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('You signed in as stranger@acme.example'),
    })
    const list = await runCli(
      ['mailbox', 'list', '--account', owner.accountId],
      toSettings(mail.app, mail.settings),
    )
    expect(list.stdout).toMatch(new RegExp(`${email} +${kind} .*sign-in failed: You signed in as stranger`))
    mail.oauth.denial = 'access_denied'
    const other = `grace-${owner.userId}@acme.example`
    const adding = await start(owner, ...['add', '--rep', 'Grace', '--email', other, '--provider', kind])
    adding.child.stdin.write(`${await visit(adding.url, other)}\n`)
    expect(await adding.ended).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/was not added: Access was not granted/),
    })
    expect((await owner.call('listMailboxes', {})).data.map(mailbox => mailbox.email)).toEqual([email])
  })

  it('adds no mailbox when the command is interrupted during the sign-in, and can be repeated', async () => {
    const { owner, email, kind } = await makeOAuthMailbox(mail)
    const other = `grace-${owner.userId}@acme.example`
    const args = ['add', '--rep', 'Grace', '--email', other, '--provider', kind]
    const { ended, child } = await start(owner, ...args)
    child.kill('SIGINT')
    expect(await ended).toMatchObject({ code: 130, stdout: '' })
    expect((await owner.call('listMailboxes', {})).data.map(mailbox => mailbox.email)).toEqual([email])
    const again = await start(owner, ...args)
    again.child.stdin.write(`${await visit(again.url, other)}\n`)
    expect(await again.ended).toMatchObject({ code: 0 })
  })

  it('reports a rejected sign-in in one sentence, and logs it only on request', async () => {
    const { owner, email, connect } = await makeOAuthMailbox(mail)
    await connect()
    mail.oauth.revoke('revoked', email)
    mail.oauth.expireAccessTokens(email)
    const args = ['mailbox', 'verify', email, '--account', owner.accountId]
    const settings = toSettings(mail.app, mail.settings)
    const { code, stderr } = await runCli(args, { ...settings, LOG_LEVEL: '' })
    expect(code).toBe(1)
    expect(stderr).toMatch(/^[^{]*it can’t send: Access was revoked or has expired\n$/)
    const withWarnings = await runCli(args, { ...settings, LOG_LEVEL: 'warn' })
    expect(withWarnings.stderr).toContain('mailbox: no access token')
  })
})

describe.runIf(hasDovecot())('the mailbox command with a password', () => {
  let dovecot: Dovecot
  let smtp: SMTPServer
  let app: TestApp
  let owner: Caller
  let dns: Awaited<ReturnType<typeof openDnsServer>>
  let settings: Record<string, string>
  beforeAll(async () => {
    dovecot = await Dovecot.open()
    smtp = new SMTPServer({
      ...{ disabledCommands: ['STARTTLS'], allowInsecureAuth: true },
      onAuth: ({ password }, _session, done) =>
        password === dovecotPassword ? done(null, { user: 'ada' }) : done(new Error('535 no')),
    })
    smtp.listen(0, '127.0.0.1')
    await once(smtp.server, 'listening')
    dns = await openDnsServer()
    const local = { ALLOW_PRIVATE_HOSTS: '127.0.0.1', DNS_SERVERS: dns.address, MAIL_SETTINGS_URL: 'none' }
    app = await openTestApp(local)
    owner = await makeCaller(app)
    settings = toSettings(app, local)
  })
  afterAll(async () => {
    await app[Symbol.asyncDispose]()
    smtp.close()
    await dns[Symbol.asyncDispose]()
    await dovecot[Symbol.asyncDispose]()
  })
  const cli = (args: string[], input?: string) =>
    runCli(['mailbox', ...args, '--account', owner.accountId], settings, input)
  const add = (email: string, ...args: string[]) => ['add', '--rep', 'Ada Byron', '--email', email, ...args]

  it('adds a mailbox once both servers accept the password, and shows its state', async () => {
    const servers = [
      ...['--host', '127.0.0.1', '--port', String((smtp.server.address() as { port: number }).port)],
      ...['--tls', 'none', '--password-stdin'],
      ...['--imap-host', '127.0.0.1', '--imap-port', String(dovecot.port), '--imap-tls', 'none'],
    ]
    expect(await cli(add('ada@acme.example', ...servers), 'wrong')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The mailbox was not added: it can’t send'),
    })
    const added = await cli(add('ada@acme.example', ...servers), dovecotPassword)
    expect(added).toMatchObject({ code: 0, stdout: expect.stringContaining('sends and receives') })
    expect((await cli(['verify', 'Ada@ACME.example'])).stdout).toBe('ada@acme.example: sends and receives.\n')
    expect(await cli(['connect', 'ada@acme.example'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/signs in with a password. .* use --provider.* updateMailbox/),
    })
    smtp.close()
    const failing = await cli(['verify', 'ada@acme.example'])
    expect(failing).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('it can’t send') })
    expect((await cli(['list'])).stdout).toMatch(
      /ada@acme\.example +password .* it can’t send: Nothing is listening/,
    )
  })

  it('adds a mailbox by its address alone if the servers are known, but never with guessed servers', async () => {
    const { DATABASE_URL: _, ...withoutDatabase } = settings
    const discover = await runCli(['mailbox', 'discover', 'ada@icloud.com'], withoutDatabase)
    expect(discover.stdout).toMatch(/SMTP +smtp\.mail\.me\.com +587 +starttls +ada@icloud\.com\nIMAP/)
    const found = await cli(add('ada@icloud.com', '--password-stdin', '--no-verify', '--json'), 'secret')
    expect(found.stderr).toContain('app-specific password')
    expect(JSON.parse(found.stdout)).toMatchObject({
      status: 'unverified',
      smtp: { host: 'smtp.mail.me.com', user: 'ada@icloud.com' },
      imap: { host: 'imap.mail.me.com', user: 'ada' },
    })
    const google = await cli(add('ada@gmail.com', '--password-stdin', '--no-verify'), 'secret')
    expect(google.stderr).toContain('use `overture mailbox add --provider google`')
    const guessed = await cli(add('grace@nowhere.example', '--password-stdin'), 'secret')
    expect(guessed).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('common names are smtp.nowhere.example and imap.nowhere.example'),
    })
    const unknown = await cli(['verify', 'grace@nowhere.example'])
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('No mailbox found') })
  })
})
