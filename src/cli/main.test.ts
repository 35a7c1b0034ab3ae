import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Caller, makeCaller, openTestApp, type TestApp } from '../../test/support/app.ts'
import { databaseSettings, runCli, startCli } from '../../test/support/processes/command-line.ts'
import { environment } from '../../test/support/processes/environment.ts'
import { mailbox } from '../contract/mailboxes.ts'
import { openAccess } from '../server/domain/auth/access.ts'
import { createSession } from '../server/domain/auth/sessions.ts'
import { createApiToken } from '../server/domain/auth/stored-api-tokens.ts'
import { describeSettings } from '../server/kernel/config.ts'
import { canEnter, findServerAccount, isRoot } from '../server/postgres/server-account.ts'

let app: TestApp
let dir: string
let settings: Record<string, string>
beforeAll(async () => {
  app = await openTestApp()
  dir = await mkdtemp(join(tmpdir(), 'overture-cli-'))
  // No name server listens there: tests never leave this machine.
  const noDns = { DNS_SERVERS: '127.0.0.1:9' }
  settings = { ...databaseSettings(app.connection), ...noDns, OVERTURE_DATA: join(dir, 'data') }
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await rm(dir, { recursive: true, force: true })
})

/** A system user other than root and the current user. Only root can run processes as this user. */
const stranger = { ...findServerAccount(), uid: 65_534, gid: 65_534 }
const canActAsStranger = isRoot && canEnter(stranger, import.meta.dirname)

const cli = (...args: string[]) => runCli(args, settings)
/** Runs a command that must succeed and returns the JSON it prints. */
const json = async (...args: string[]) => {
  const { code, stdout, stderr } = await cli(...args, '--json')
  expect(code, stderr).toBe(0)
  return JSON.parse(stdout)
}
const file = async (name: string, content: string) => {
  const path = join(dir, name)
  await writeFile(path, content)
  return path
}

describe('invalid usage', () => {
  it.each([
    ['no command', [], /Usage: overture/],
    ['an unknown command', ['launch'], /unknown command 'launch'/],
    ['a missing subcommand', ['user'], /Usage: overture user/],
    ['an unknown option', ['account', 'list', '--color'], /unknown option '--color'/],
    ['a missing option', ['user', 'create', '--name', 'Ada'], /'--email <address>' not specified/],
    ['an invalid email address', ['user', 'create', '--name', 'A', '--email', 'ada'], /valid email address/],
    ['an unknown role', ['member', 'add', '--email', 'a@b.example', '--role', 'boss'], /viewer, member/],
    ['an invalid ID', ['token', 'revoke', '1'], /Must be an ID/],
    [
      'a mailbox with a host but no port',
      ['mailbox', 'add', '--rep', 'A', '--email', 'a@b.example', '--host', 'b.example'],
      /--port/,
    ],
    ...[
      ['--tls', 'none'],
      ['--imap-host', 'imap.b.example'],
      ['--imap-port', '1993'],
      ['--imap-tls', 'none'],
      ['--imap-user', 'ada'],
    ].map((option): [string, string[], RegExp] => [
      `${option[0]} without --host`,
      ['mailbox', 'add', '--rep', 'A', '--email', 'a@icloud.com', '--password-stdin', ...option],
      /need --host/,
    ]),
    [
      'a port of an IMAP server without its host',
      [
        ...['mailbox', 'add', '--rep', 'A', '--email', 'a@b.example', '--password-stdin'],
        ...['--host', 'b.example', '--port', '465', '--imap-port', '1993'],
      ],
      /need --imap-host/,
    ],
    [
      'a sandbox mailbox with an IMAP server',
      [
        ...['mailbox', 'add', '--rep', 'A', '--email', 'a@b.example', '--kind', 'sandbox'],
        ...['--imap-tls', 'none'],
      ],
      /has no server/,
    ],
    ['an unknown export', ['export', 'everything'], /prospects, persons/],
    ['an invalid setting', ['account', 'list', '--database-url', 'mysql://x'], /--database-url/],
  ])('exits with 2 and prints only to standard error: %s', async (_case, args, message) => {
    const { code, stdout, stderr } = await cli(...args)
    expect(stderr).toMatch(message)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  })
})

describe('help', () => {
  it('lists every server setting with its flag and variable in `serve --help`', async () => {
    const { code, stdout } = await cli('serve', '--help')
    expect(code).toBe(0)
    for (const { env, flag } of describeSettings()) {
      expect(stdout).toContain(env)
      if (flag) expect(stdout).toContain(`${flag} <`)
    }
    expect(stdout).not.toContain('--secret')
  })

  it.each([
    'user create',
    'account create',
    'member add',
    'token create',
    'mailbox add',
    'mailbox connect',
    'mailbox discover',
    'mailbox verify',
    'import persons',
    'import prospects',
    'import opt-outs',
    'domain check',
    'domain key',
    'assistant verify',
    'webhook create',
    'webhook replay',
    'reply-agent set',
  ])('shows an example with options that `%s` accepts', async name => {
    const { code, stdout } = await cli(...name.split(' '), '--help')
    expect(code).toBe(0)
    const example = stdout.slice(stdout.indexOf('Example'))
    expect(example).toContain(`overture ${name}`)
    const [, options = ''] = stdout.split('Options:')
    for (const [flag] of example.matchAll(/--[a-z-]+/g)) expect(options).toContain(flag)
  })
})

describe('a failing command', () => {
  it('exits with 1 and prints one sentence, with a stack trace only at log level debug', async () => {
    const args = ['token', 'create', '--user', 'stranger@acme.example', '--name', 'x']
    const message = 'overture: There is no such user as stranger@acme.example.\n'
    expect(await cli(...args)).toEqual({ code: 1, stdout: '', stderr: message })
    expect((await cli(...args, '--verbose')).stderr).toMatch(
      /AppError: There is no such user[\s\S]*users\.ts/,
    )
    const debugging = await runCli(args, { ...settings, LOG_LEVEL: 'debug' })
    expect(debugging.stderr).toMatch(/users\.ts/)
  })

  it.runIf(canActAsStranger)(
    "says that the database belongs to another user, not that it's missing",
    async () => {
      const data = await mkdtemp('/tmp/overture-cli-')
      await mkdir(join(data, 'postgres', 'cluster'), { recursive: true })
      const command = [process.execPath, join(import.meta.dirname, 'main.ts'), 'account', 'list']
      const { status, stderr } = spawnSync(command[0]!, command.slice(1), {
        env: environment({ OVERTURE_DATA: data }),
        encoding: 'utf8',
        ...{ uid: stranger.uid, gid: stranger.gid, cwd: '/' },
      })
      await rm(data, { recursive: true })
      expect(stderr).toContain(
        `The data folder ${data} belongs to the user root, but Overture runs as nobody.`,
      )
      expect(status).toBe(1)
    },
  )

  it('never creates a database, except to set up an installation', async () => {
    const nowhere = join(dir, 'nowhere')
    for (const args of [
      ['mailbox', 'list'],
      ['token', 'list'],
      ['export', 'persons'],
    ])
      expect(await runCli(args, { OVERTURE_DATA: nowhere })).toEqual({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining(`There is no database at ${nowhere}. Set its folder with --data`),
      })
    expect(existsSync(nowhere)).toBe(false)
  })

  it('says that the database cannot be reached', async () => {
    const { code, stderr } = await cli('account', 'list', '--database-url', 'postgres://x@127.0.0.1:1/x')
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'overture: The database cannot be reached right now. Try again in a moment.\n',
    })
  })
})

describe('user turn-off-codes', () => {
  it('turns off two-factor codes once and records it in the audit log', async () => {
    const { owner } = app
    const { userId } = await makeCaller(app)
    const [{ email }] = await owner<[{ email: string }]>`select email from users where id = ${userId}`
    await owner`
      insert into authenticator_apps (user_id, secret, last_step) values (${userId}, '\\x00', 0)`
    const turnOff = () => json('user', 'turn-off-codes', '--email', email)
    expect([await turnOff(), await turnOff()]).toEqual([
      { email, wereOn: true },
      { email, wereOn: false },
    ])
    expect(await owner`select actor from audit_log where object_id = ${userId}`).toEqual([{ actor: 'cli' }])
  })
})

describe('user list', () => {
  it('lists users with their accounts and roles, as a table or JSON', async () => {
    const { accountId, userId } = await makeCaller(app, 'manager')
    const users = (await json('user', 'list')) as { id: string }[]
    expect(users.find(({ id }) => id === userId)).toEqual({
      id: userId,
      email: `manager-${userId}@acme.example`,
      name: 'manager',
      isEmailVerified: true,
      createdAt: expect.any(String),
      accounts: [{ id: accountId, name: 'Acme', role: 'manager' }],
    })
    const { stdout } = await cli('user', 'list')
    expect(stdout).toMatch(/^id +email +name +verified +accounts +created\n/)
    expect(stdout).toMatch(new RegExp(`^${userId} .* yes +Acme \\(manager\\) `, 'm'))
  })
})

describe('user sign-out', () => {
  it('ends all sessions, and revokes API tokens with --revoke', async () => {
    const { owner, db } = app
    const { userId } = await makeCaller(app)
    const [{ email }] = await owner<[{ email: string }]>`select email from users where id = ${userId}`
    await createApiToken(db.auth, { userId, name: 'script' })
    await createSession(db.auth, { userId, address: '192.0.2.1', now: new Date() })
    const listActive = () => owner`select id from api_tokens where user_id = ${userId} and revoked_at is null`
    expect(await json('user', 'sign-out', '--email', email)).toEqual({ email, sessions: 1 })
    expect(await listActive()).toHaveLength(1)
    expect(await json('user', 'sign-out', '--email', email, '--revoke')).toEqual({ email, sessions: 0 })
    expect(await listActive()).toHaveLength(0)
    expect(await owner`select from sessions where user_id = ${userId}`).toHaveLength(0)
  })
})

describe('setup', () => {
  it('creates a user, an account and a token, and prints nothing but the token', async () => {
    const user = await json('user', 'create', '--email', 'Ada@Acme.example', '--name', 'Ada Byron')
    expect(user).toEqual({ id: expect.any(String), email: 'ada@acme.example', name: 'Ada Byron' })
    const account = await json('account', 'create', '--name', 'First', '--owner', 'ada@acme.example')
    expect(account).toMatchObject({ name: 'First', timezone: 'UTC', members: 1 })

    const { code, stdout, stderr } = await cli(
      'token',
      'create',
      '--user',
      'ada@acme.example',
      '--name',
      'laptop',
    )
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^ovt_live_[0-9A-Za-z]{8}_[0-9A-Za-z]{30}_[0-9A-Za-z]{6}\n$/)
    await using access = await openAccess(app)
    expect(await access.find(stdout.trim())).toMatchObject({
      userId: user.id,
      memberships: [{ accountId: account.id, role: 'owner' }],
    })

    const created = await json(
      'token',
      'create',
      '--user',
      'ada@acme.example',
      '--name',
      'report',
      '--read-only',
      '--expires',
      '90d',
    )
    expect(await access.find(created.token)).toMatchObject({ id: created.id, isReadOnly: true })
    const list = await cli('token', 'list', '--user', 'ada@acme.example')
    expect(list.stdout).toContain('report')
    expect(list.stdout).not.toContain(created.token.split('_')[3])
    expect(await json('token', 'revoke', created.id)).toEqual({
      id: created.id,
      revokedAt: expect.any(String),
      revokedIds: [created.id],
    })
    await vi.waitFor(async () => expect(await access.find(created.token)).toBeUndefined(), 10_000)
    expect(
      await app.owner`select actor, action, object_type from audit_log where object_id = ${created.id} order by id`,
    ).toEqual([
      { actor: 'cli', action: 'create', object_type: 'api_token' },
      { actor: 'cli', action: 'revoke', object_type: 'api_token' },
    ])
  })

  it('names the command that sets a password for a user without one', async () => {
    const { stderr } = await cli('user', 'create', '--email', 'max@acme.example', '--name', 'Max')
    expect(stderr).toContain('overture user reset-password --email max@acme.example')
  })

  it('reads a password from a pipe', async () => {
    const args = ['user', 'create', '--email', 'pia@acme.example', '--name', 'Pia', '--password-stdin']
    expect(await runCli(args, settings, 'short\n')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('password'),
    })
    expect(await runCli(args, settings, 'correct horse battery\n')).toMatchObject({ code: 0 })
    const [row] = await app.owner<{ hash: string }[]>`
      select password_hash as hash from users where email = 'pia@acme.example'`
    expect(row!.hash).toMatch(/^\$argon2id\$/)
  })

  it('assigns roles in the account named by ID', async () => {
    const { accountId } = await makeCaller(app)
    await json('user', 'create', '--email', 'bo@acme.example', '--name', 'Bo')
    const member = ['--email', 'bo@acme.example', '--account', accountId]
    expect(await json('member', 'add', ...member, '--role', 'manager')).toMatchObject({
      accountId,
      role: 'manager',
    })
    expect(await json('member', 'set-role', ...member, '--role', 'viewer')).toMatchObject({ role: 'viewer' })
    const [listed, { stdout }, accounts] = await Promise.all([
      json('member', 'list', '--account', accountId),
      cli('member', 'list', '--account', accountId),
      json('account', 'list') as Promise<{ id: string; members: number }[]>,
    ])
    expect(listed).toContainEqual(
      expect.objectContaining({ email: 'bo@acme.example', name: 'Bo', role: 'viewer' }),
    )
    expect(stdout).toMatch(/bo@acme\.example +Bo +viewer/)
    expect(accounts.find(account => account.id === accountId)).toMatchObject({ members: 2 })
  })

  it('rejects an account that is missing, unknown or named ambiguously', async () => {
    const { accountId } = await makeCaller(app)
    const { accountId: twin } = await makeCaller(app)
    await app.owner`update accounts set name = 'Twin' where id in (${accountId}, ${twin})`
    const add = (...account: string[]) =>
      cli('member', 'add', '--email', 'bo@acme.example', '--role', 'manager', ...account)
    const [missing, ambiguous, unknown] = await Promise.all([
      add(),
      add('--account', 'Twin'),
      add('--account', 'Nobody'),
    ])
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringMatching(/several accounts/) })
    expect(ambiguous).toMatchObject({ code: 2, stderr: expect.stringMatching(/Use the ID/) })
    expect(unknown).toMatchObject({ code: 1 })
  })
})

describe('mailbox add', () => {
  it('adds sandbox mailboxes to a rep, which it creates if missing', async () => {
    const owner = await makeCaller(app)
    const add = (email: string) =>
      json(
        'mailbox',
        'add',
        '--account',
        owner.accountId,
        '--rep',
        'Grace',
        '--email',
        email,
        '--kind',
        'sandbox',
      )
    const first = mailbox.parse(await add('grace@acme.example'))
    const second = mailbox.parse(await add('hopper@acme.example'))
    expect(second.repId).toBe(first.repId)
    expect(await owner.call('getRep', { repId: first.repId })).toMatchObject({
      name: 'Grace',
      ownedById: owner.userId,
    })
    expect(
      await app.owner`
      select actor, user_id from audit_log where account_id = ${owner.accountId} and object_id = ${first.id}`,
    ).toMatchObject([{ actor: 'cli', user_id: owner.userId }])
  })

  it('requires --no-verify to add a mailbox that cannot sign in', async () => {
    const owner = await makeCaller(app)
    const args = [
      'mailbox',
      'add',
      '--account',
      owner.accountId,
      '--rep',
      'Grace',
      '--email',
      'g@acme.example',
      '--host',
      '127.0.0.1',
      '--port',
      '1',
      '--tls',
      'none',
    ]
    const allowed = { ...settings, ALLOW_PRIVATE_HOSTS: '127.0.0.1' }
    expect(await runCli(args, allowed)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/was not added/),
    })
    expect((await owner.call('listMailboxes', {})).data).toEqual([])
    const pace = ['--daily-cap', '50', '--min-gap-seconds', '90']
    expect(await runCli([...args, '--no-verify', ...pace], allowed)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/unverified/),
    })
    expect((await owner.call('listMailboxes', {})).data).toMatchObject([{ dailyCap: 50, minGapSeconds: 90 }])
  })
})

describe('import prospects', () => {
  let owner: Caller
  let campaignId: string
  const toImportArgs = (path: string, ...more: string[]) => [
    'import',
    'prospects',
    path,
    '--account',
    owner.accountId,
    '--campaign',
    campaignId,
    ...more,
  ]
  beforeAll(async () => {
    owner = await makeCaller(app)
    campaignId = (await owner.call('createCampaign', { name: 'Spring' })).id
  })
  const countAdded = async () => {
    const [row] = await app.owner<{ count: number }[]>`
      select count(*)::int as count from prospects where campaign_id = ${campaignId}`
    return row!.count
  }

  it('imports a column as a custom field that the steps use', async () => {
    await owner.call('createCustomField', { key: 'plan', label: 'Plan', type: 'choice', choices: ['Team'] })
    const steps = [{ subject: 'Hello', body: 'Hi {{ plan }}' }]
    const { id } = await owner.call('createCampaign', { name: 'Summer', steps })
    const path = await file('plans.csv', 'Email,Plan\nada@plan.example,Team\nben@plan.example,Free\n')
    const args = ['import', 'prospects', path, '--account', owner.accountId, '--campaign', id]
    const { stdout } = await cli(...args, '--custom', 'Plan=plan')
    expect(stdout).toMatch(/^Read 2 rows: 1 added, 1 invalid\.$/m)
    expect(stdout).toContain('Line 3: custom.plan: must be one of: Team')
    expect(stdout).not.toContain('without a value')
  })

  it('reports prospects that lack a value for a variable of the steps', async () => {
    const steps = [{ subject: 'Hello', body: 'Hi {{ firstName }}' }]
    const { id } = await owner.call('createCampaign', { name: 'Autumn', steps })
    const path = await file('nameless.csv', 'First Name,Email\nAda,named@x.example\n,nameless@x.example\n')
    const args = ['import', 'prospects', path, '--account', owner.accountId, '--campaign', id]
    const { stdout } = await cli(...args)
    expect(stdout).toContain('Added without a value for a variable in the steps: 1 prospect.')
    expect(await readFile(`${path}.result.csv`, 'utf8')).toMatch(
      /nameless@x\.example,3,added,"?has no value for firstName/,
    )
  })

  it('writes the outcome of each row to the result file, names invalid rows and exits with 3', async () => {
    const path = await file(
      'people.csv',
      'First Name,Mail (work),Notes\nAda,ada@one.example,=1+1\nBo,broken,x\nAda,ADA@one.example,again\n',
    )
    const { code, stdout } = await cli(...toImportArgs(path, '--map', 'Mail (work)=email', '--json'))
    expect(code).toBe(3)
    expect(JSON.parse(stdout)).toMatchObject({
      total: 3,
      added: 1,
      outcomes: { added: 1, invalid: 1, duplicate_in_request: 1 },
      columns: { 'First Name': 'firstName', 'Mail (work)': 'email' },
      ignoredColumns: ['Notes'],
      issues: [{ line: 3, reason: expect.stringContaining('email') }],
      resultFile: `${path}.result.csv`,
    })
    const lines = (await readFile(`${path}.result.csv`, 'utf8')).split('\r\n')
    expect(lines[0]).toBe('\ufeffFirst Name,Mail (work),Notes,line,outcome,reason')
    expect(lines[1]).toBe("Ada,ada@one.example,'=1+1,2,added,")
    expect(lines[2]).toMatch(/^Bo,broken,x,3,invalid,.*email/)
    expect(lines[3]).toMatch(/^Ada,ADA@one.example,again,4,duplicate_in_request,/)
    expect(await countAdded()).toBe(1)

    const again = await cli(
      ...toImportArgs(path, '--map', 'Mail (work)=email', '--result', join(dir, 'again.csv')),
    )
    expect(again.code).toBe(3)
    expect(again.stdout).toMatch(/^Read 3 rows: 1 already in the campaign, .*1 invalid\.$/m)
    expect(again.stdout).toMatch(/^Line 3: .*email/m)
    expect(await countAdded()).toBe(1)
  })

  it('rejects an import it cannot start and leaves no result file', async () => {
    const path = await file('refused.csv', 'Email\nada@one.example\n')
    expect(await cli(...toImportArgs(path, '--result', path))).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/overwrite/),
    })
    expect(await cli(...toImportArgs(path, '--map', 'Nope=email'))).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/Unknown column "Nope"/),
    })
    const missing = join(dir, 'missing.csv')
    expect(await cli(...toImportArgs(missing))).toMatchObject({
      code: 1,
      stderr: `overture: ${missing}: no such file or directory\n`,
    })
    expect(existsSync(`${path}.result.csv`)).toBe(false)
  })

  it('reports its progress when interrupted, and continues when repeated', async () => {
    // Long enough that no buffer holds back the first 2,000 rows.
    const rows = Array.from({ length: 2900 }, (_, i) => `p${i}@many.example,${'x'.repeat(400)}\n`)
    const before = await countAdded()
    // An open pipe makes the import wait at a known row.
    const pipe = join(dir, 'pipe.csv')
    execFileSync('mkfifo', [pipe])
    const { child, ended } = startCli(toImportArgs(pipe, '--result', join(dir, 'pipe.result.csv')), settings)
    const writer = await open(pipe, 'w')
    await writer.write(`Email,Notes\n${rows.join('')}`)
    await vi.waitFor(async () => expect(await countAdded()).toBe(before + 2000), {
      timeout: 180_000,
      interval: 100,
    })
    const stopping = new Promise<void>(resolve => {
      child.stderr.on('data', chunk => String(chunk).includes('Stopping') && resolve())
    })
    child.kill('SIGINT')
    await stopping
    // A pending read of a pipe ends only when the pipe closes; reads of a file never wait.
    await writer.close()
    const { code, stdout, stderr } = await ended()
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/Interrupted\. Imported 2,000 rows\. Repeat the command/)
    expect((await readFile(join(dir, 'pipe.result.csv'), 'utf8')).trim().split('\r\n')).toHaveLength(2001)

    const path = await file('many.csv', `Email,Notes\n${rows.join('')}`)
    expect(await json(...toImportArgs(path))).toMatchObject({
      total: 2900,
      outcomes: { already_in_campaign: 2000, added: 900 },
    })
    expect(await countAdded()).toBe(before + 2900)
  })
})

describe('the domain commands', () => {
  it('check a domain by name and print the record of a new key', async () => {
    const { accountId } = await makeCaller(app)
    const checked = await cli('domain', 'check', 'Acme.example', '--account', accountId)
    expect(checked.code, checked.stderr).toBe(0)
    expect(checked.stdout).toMatch(/^MX\s+unknown .*\nSPF\s+unknown /)
    const { stdout } = await cli('domain', 'key', 'acme.example', '--account', accountId)
    expect(stdout).toMatch(/\novt\w+\._domainkey\.acme\.example\nv=DKIM1; k=rsa; p=[\w+/=]{300,}\n$/)
    expect((await cli('domain', 'key', 'acme', '--account', accountId)).code).toBe(2)
  })
})

describe('import persons', () => {
  it('adds people with custom fields, and writes the outcome of each row to the result file', async () => {
    const { accountId, call } = await makeCaller(app)
    await call('createPerson', { email: 'grace@navy.example' })
    await call('addOptOuts', { identifiers: [{ identifier: 'rival.example' }] })
    const path = await file(
      'crm.csv',
      [
        'First Name,Email,Plan,Notes',
        ...['Ada,ada@analytical.example,Team,x', 'Grace,grace@navy.example,,', 'Bo,broken,,'],
        ...['Eve,eve@rival.example,,', 'Ada,ADA@analytical.example,Free,\n'],
      ].join('\n'),
    )
    const args = ['import', 'persons', path, '--account', accountId, '--custom', 'Plan=plan']
    expect((await cli(...args.slice(0, -1), 'Nope=plan')).stderr).toContain('customColumns.Nope')
    const { code, stdout } = await cli(...args, '--create-custom-fields', '--json')
    expect(code).toBe(3)
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ total: 5, created: 1, updated: 1, skipped: 2, invalid: 1, ignoredColumns: ['Notes'] },
      outcomes: { created: 1, updated: 1, duplicate: 1, do_not_contact: 1, invalid: 1 },
      columns: { 'First Name': 'firstName', Email: 'email', Plan: 'custom.plan' },
    })
    const lines = (await readFile(`${path}.result.csv`, 'utf8')).split('\r\n')
    expect(lines[1]).toBe('Ada,ada@analytical.example,Team,x,2,created,')
    expect(lines[4]).toMatch(/^Eve,.*,5,do_not_contact,rival\.example is on/)
    const { data } = await call('listPersons', {})
    expect(data).toHaveLength(2)
    expect(data).toContainEqual(expect.objectContaining({ firstName: 'Ada', custom: { plan: 'Team' } }))
    expect((await call('listCustomFields', {})).data).toMatchObject([{ key: 'plan', label: 'Plan' }])
    const again = await cli(...args)
    expect(again.stdout).toMatch(
      /^Read 5 rows: 2 unchanged, 1 duplicated in the file, 1 on the Do Not Contact list, 1 invalid\.$/m,
    )
  })

  it('rejects a custom column without a key', async () => {
    const { code, stderr } = await cli('import', 'persons', 'crm.csv', '--custom', 'Plan=')
    expect(code).toBe(2)
    expect(stderr).toContain('the key of a field')
  })
})

describe('import opt-outs', () => {
  it('imports valid rows, reports invalid lines and applies a column mapping', async () => {
    const { accountId, call } = await makeCaller(app)
    const path = await file('suppressed.csv', 'Blocked,Email\nada@x.example,me@acme.example\nnobody,\n')
    const args = [
      'import',
      'opt-outs',
      path,
      '--account',
      accountId,
      '--map',
      'Blocked=identifier',
      '--map',
      'Email=',
    ]
    const { code, stdout, stderr } = await cli(...args)
    expect(code, stderr).toBe(3)
    expect(stdout).toContain('Read 2 rows: 1 entry added')
    expect(stdout).toContain('Line 3: Blocked: must be a valid email address')
    expect((await call('listOptOuts', {})).data.map(({ identifier }) => identifier)).toEqual([
      'ada@x.example',
    ])
    expect(JSON.parse((await cli(...args, '--json')).stdout)).toMatchObject({
      added: 0,
      alreadyPresent: 1,
      invalid: 1,
    })
    expect((await cli(...args, '--map', 'Email=fax')).code).toBe(2)
  })

  it('accepts a public email domain only with --confirm-public-domain', async () => {
    const { accountId } = await makeCaller(app)
    const args = ['import', 'opt-outs', await file('public.csv', 'gmail.com\nrival.example\n')]
    args.push('--account', accountId)
    expect(JSON.parse((await cli(...args, '--json')).stdout)).toMatchObject({ added: 1, invalid: 1 })
    expect(await json(...args, '--confirm-public-domain')).toMatchObject({ added: 1, invalid: 0 })
  })
})

it('an interrupted command stops waiting for its input and exits with 130', async () => {
  const { accountId } = await makeCaller(app)
  const pipe = join(dir, 'opt-outs.csv')
  execFileSync('mkfifo', [pipe])
  const { child, ended } = startCli(['import', 'opt-outs', pipe, '--account', accountId], settings)
  const writer = await open(pipe, 'w')
  child.stderr.on('data', chunk => String(chunk).includes('Stopping') && writer.close())
  child.kill('SIGINT')
  expect(await ended()).toEqual({ code: 130, stdout: '', stderr: 'Stopping…\noverture: Interrupted.\n' })
})

describe('export', () => {
  let owner: Caller
  beforeAll(async () => {
    owner = await makeCaller(app)
    await owner.call('addOptOuts', {
      identifiers: [{ identifier: 'ada@one.example', name: '=cmd()' }, { identifier: '+442079460018' }],
    })
    await (await makeCaller(app)).call('addOptOuts', { identifiers: [{ identifier: 'rival@two.example' }] })
  })

  it('writes CSV of one account with formulas escaped', async () => {
    const { code, stdout, stderr } = await cli('export', 'opt-outs', '--account', owner.accountId)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const lines = stdout.trimEnd().split('\r\n')
    expect(lines[0]).toBe('\ufeffid,identifier,identifierType,name,source,createdAt')
    expect(
      lines
        .slice(1)
        .map(line => line.split(',').slice(1, 4).join(','))
        .sort(),
    ).toEqual(["'+442079460018,phone,", "ada@one.example,email,'=cmd()"])
  })

  it('writes JSON lines to a file with --json and --out', async () => {
    const out = join(dir, 'opt-outs.jsonl')
    const { code, stdout } = await cli(
      'export',
      'opt-outs',
      '--account',
      owner.accountId,
      '--json',
      '--out',
      out,
    )
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    const rows = (await readFile(out, 'utf8'))
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(rows).toHaveLength(2)
    expect(rows).toContainEqual(expect.objectContaining({ identifier: 'ada@one.example', name: '=cmd()' }))
  })

  it('exits with 0 when the reader closes the pipe', async () => {
    await app.owner`
      insert into persons (account_id, id, email)
      select ${owner.accountId}, gen_random_uuid(), i || '@many.example' from generate_series(1, 20000) i`
    const { child, stderr } = startCli(['export', 'persons', '--account', owner.accountId], settings)
    child.stdout.once('data', () => child.stdout.destroy())
    const [code] = await once(child, 'close')
    expect({ code, stderr: await stderr }).toEqual({ code: 0, stderr: '' })
  })
})

it('migrate prints the schema version', async () => {
  expect(await json('migrate')).toEqual({ version: expect.any(Number) })
})

describe('keys rotate', () => {
  it('adds a key that starts signing later, once every process has loaded it', async () => {
    const { id, signsFrom } = (await json('keys', 'rotate')) as { id: string; signsFrom: string }
    const [key] = await app.db.auth<{ signsFrom: Date }[]>`
      select signs_from as "signsFrom" from oauth_keys where id = ${id}`
    expect(key?.signsFrom.toISOString()).toBe(signsFrom)
  })
})
