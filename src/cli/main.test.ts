import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { aCaller, type Caller, openTestApp, type TestApp } from '../../test/support/app.ts'
import { databaseSettings, runCli, startCli } from '../../test/support/processes/command-line.ts'
import { mailbox } from '../contract/mailboxes.ts'
import { openAccess } from '../server/domain/auth/access.ts'
import { createSession } from '../server/domain/auth/sessions.ts'
import { createApiToken } from '../server/domain/auth/stored-api-tokens.ts'
import { describeSettings } from '../server/kernel/config.ts'

let app: TestApp
let dir: string
let settings: Record<string, string>
beforeAll(async () => {
  app = await openTestApp()
  dir = await mkdtemp(join(tmpdir(), 'overture-cli-'))
  // Where no name server is: tests ask nobody outside.
  const noDns = { DNS_SERVERS: '127.0.0.1:9' }
  settings = { ...databaseSettings(app.connection), ...noDns, OVERTURE_DATA: join(dir, 'data') }
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await rm(dir, { recursive: true, force: true })
})

const cli = (...args: string[]) => runCli(args, settings)
/** The JSON that a command which has to succeed prints. */
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

describe('a command that is not understood', () => {
  it.each([
    ['no command', [], /Usage: overture/],
    ['an unknown command', ['launch'], /unknown command 'launch'/],
    ['half a command', ['user'], /Usage: overture user/],
    ['an unknown option', ['account', 'list', '--color'], /unknown option '--color'/],
    ['a missing option', ['user', 'create', '--name', 'Ada'], /'--email <address>' not specified/],
    ['a broken address', ['user', 'create', '--name', 'A', '--email', 'ada'], /no email address/],
    ['a role that is none', ['member', 'add', '--email', 'a@b.example', '--role', 'boss'], /viewer, member/],
    ['a wrong id', ['token', 'revoke', '1'], /no id/],
    ['a mailbox without a server', ['mailbox', 'add', '--rep', 'A', '--email', 'a@b.example'], /--host/],
    ['an unknown export', ['export', 'everything'], /prospects, persons/],
    ['a wrong setting', ['account', 'list', '--database-url', 'mysql://x'], /--database-url/],
  ])('ends with 2, its fault on standard error alone: %s', async (_case, args, fault) => {
    const { code, stdout, stderr } = await cli(...args)
    expect(stderr).toMatch(fault)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  })
})

describe('help', () => {
  it('names every setting of the server with its flag and its variable', async () => {
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
    'import prospects',
    'import opt-outs',
    'domain check',
    'domain key',
    'assistant verify',
    'webhook create',
    'webhook replay',
    'reply-agent set',
  ])('shows how to use `%s`, in words that the command itself takes', async name => {
    const { code, stdout } = await cli(...name.split(' '), '--help')
    expect(code).toBe(0)
    const example = stdout.slice(stdout.indexOf('Example'))
    expect(example).toContain(`overture ${name}`)
    const [, options = ''] = stdout.split('Options:')
    for (const [flag] of example.matchAll(/--[a-z-]+/g)) expect(options).toContain(flag)
  })
})

describe('a fault', () => {
  it('ends with 1 and one sentence, and shows where it comes from only when asked', async () => {
    const args = ['token', 'create', '--user', 'stranger@acme.example', '--name', 'x']
    const told = 'overture: There is no such user as stranger@acme.example.\n'
    expect(await cli(...args)).toEqual({ code: 1, stdout: '', stderr: told })
    expect((await cli(...args, '--verbose')).stderr).toMatch(
      /AppError: There is no such user[\s\S]*users\.ts/,
    )
    const debugging = await runCli(args, { ...settings, LOG_LEVEL: 'debug' })
    expect(debugging.stderr).toMatch(/users\.ts/)
  })

  it('says when the database cannot be reached, and not that a file is missing', async () => {
    const { code, stderr } = await cli('account', 'list', '--database-url', 'postgres://x@127.0.0.1:1/x')
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'overture: The database cannot be reached right now. Try again in a moment.\n',
    })
  })
})

describe('a user who lost the authenticator app', () => {
  it('signs in without its codes once they are turned off', async () => {
    const { owner } = app
    const { userId } = await aCaller(app)
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

describe('a user whose laptop was lost', () => {
  it('is signed out everywhere, and loses API tokens when asked', async () => {
    const { owner, db } = app
    const { userId } = await aCaller(app)
    const [{ email }] = await owner<[{ email: string }]>`select email from users where id = ${userId}`
    await createApiToken(db.auth, { userId, name: 'script' })
    await createSession(db.auth, { userId, address: '192.0.2.1', now: new Date() })
    const living = () => owner`select id from api_tokens where user_id = ${userId} and revoked_at is null`
    expect(await json('user', 'sign-out', '--email', email)).toEqual({ email, sessions: 1 })
    expect(await living()).toHaveLength(1)
    expect(await json('user', 'sign-out', '--email', email, '--revoke')).toEqual({ email, sessions: 0 })
    expect(await living()).toHaveLength(0)
    expect(await owner`select from sessions where user_id = ${userId}`).toHaveLength(0)
  })
})

describe('from nothing to a first call', () => {
  it('makes a user, an account and a token, whose text is all that is printed', async () => {
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

    const made = await json(
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
    expect(await access.find(made.token)).toMatchObject({ id: made.id, isReadOnly: true })
    const list = await cli('token', 'list', '--user', 'ada@acme.example')
    expect(list.stdout).toContain('report')
    expect(list.stdout).not.toContain(made.token.split('_')[3])
    expect(await json('token', 'revoke', made.id)).toEqual({
      id: made.id,
      revokedAt: expect.any(String),
      revokedIds: [made.id],
    })
    await vi.waitFor(async () => expect(await access.find(made.token)).toBeUndefined(), 10_000)
    expect(
      await app.owner`select actor, action, object_type from audit_log where object_id = ${made.id} order by id`,
    ).toEqual([
      { actor: 'cli', action: 'create', object_type: 'api_token' },
      { actor: 'cli', action: 'revoke', object_type: 'api_token' },
    ])
  })

  it('says how a user without a password gets one', async () => {
    const { stderr } = await cli('user', 'create', '--email', 'max@acme.example', '--name', 'Max')
    expect(stderr).toContain('overture user reset-password --email max@acme.example')
  })

  it('takes a password from a pipe, and never from an argument', async () => {
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

  it('gives roles in the account that is named, by name or id, and asks when it is not clear', async () => {
    const { accountId } = await aCaller(app)
    const { accountId: twin } = await aCaller(app)
    await app.owner`update accounts set name = 'Twin' where id in (${accountId}, ${twin})`
    await json('user', 'create', '--email', 'bo@acme.example', '--name', 'Bo')
    const grant = ['--email', 'bo@acme.example', '--role', 'manager']
    expect(await cli('member', 'add', ...grant)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/several accounts/),
    })
    expect(await cli('member', 'add', ...grant, '--account', 'Twin')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/Give the id/),
    })
    expect(await cli('member', 'add', ...grant, '--account', 'Nobody')).toMatchObject({ code: 1 })
    expect(await json('member', 'add', ...grant, '--account', accountId)).toMatchObject({
      accountId,
      role: 'manager',
    })
    expect(
      await json(
        'member',
        'set-role',
        '--email',
        'bo@acme.example',
        '--role',
        'viewer',
        '--account',
        accountId,
      ),
    ).toMatchObject({ role: 'viewer' })
    const accounts = (await json('account', 'list')) as { id: string; members: number }[]
    expect(accounts.find(account => account.id === accountId)).toMatchObject({ members: 2 })
  })
})

describe('mailboxes', () => {
  it('are added to a rep, which is made when missing, and act at once in the sandbox', async () => {
    const owner = await aCaller(app)
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

  it('that cannot sign in are not added, unless told to', async () => {
    const owner = await aCaller(app)
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

describe('importing prospects', () => {
  let owner: Caller
  let campaignId: string
  const importing = (path: string, ...more: string[]) => [
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
    owner = await aCaller(app)
    campaignId = (await owner.call('createCampaign', { name: 'Spring' })).id
  })
  const added = async () => {
    const [row] = await app.owner<{ count: number }[]>`
      select count(*)::int as count from prospects where campaign_id = ${campaignId}`
    return row!.count
  }

  it('says who has no value for something that the steps say', async () => {
    const steps = [{ subject: 'Hello', body: 'Hi {{ firstName }}' }]
    const { id } = await owner.call('createCampaign', { name: 'Autumn', steps })
    const path = await file('nameless.csv', 'First Name,Email\nAda,named@x.example\n,nameless@x.example\n')
    const args = ['import', 'prospects', path, '--account', owner.accountId, '--campaign', id]
    const { stdout } = await cli(...args)
    expect(stdout).toContain('1 of those added have no value for something that the steps say')
    expect(await readFile(`${path}.result.csv`, 'utf8')).toMatch(
      /nameless@x\.example,3,added,"?has no firstName/,
    )
  })

  it('writes what became of each row beside it, and ends well though some are at fault', async () => {
    const path = await file(
      'people.csv',
      'First Name,Mail (work),Notes\nAda,ada@one.example,=1+1\nBo,broken,x\nAda,ADA@one.example,again\n',
    )
    const summary = await json(...importing(path, '--map', 'Mail (work)=email'))
    expect(summary).toMatchObject({
      total: 3,
      added: 1,
      outcomes: { added: 1, invalid: 1, duplicate_in_request: 1 },
      columns: { 'First Name': 'firstName', 'Mail (work)': 'email' },
      ignoredColumns: ['Notes'],
      resultFile: `${path}.result.csv`,
    })
    const lines = (await readFile(`${path}.result.csv`, 'utf8')).split('\r\n')
    expect(lines[0]).toBe('\ufeffFirst Name,Mail (work),Notes,line,outcome,reason')
    expect(lines[1]).toBe("Ada,ada@one.example,'=1+1,2,added,")
    expect(lines[2]).toMatch(/^Bo,broken,x,3,invalid,.*email/)
    expect(lines[3]).toMatch(/^Ada,ADA@one.example,again,4,duplicate_in_request,/)
    expect(await added()).toBe(1)

    const again = await json(
      ...importing(path, '--map', 'Mail (work)=email', '--result', join(dir, 'again.csv')),
    )
    expect(again).toMatchObject({ total: 3, added: 0, outcomes: { already_in_campaign: 1 } })
    expect(await added()).toBe(1)
  })

  it('refuses what it cannot begin with, and leaves no result behind', async () => {
    const path = await file('refused.csv', 'Email\nada@one.example\n')
    expect(await cli(...importing(path, '--result', path))).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/overwrite/),
    })
    expect(await cli(...importing(path, '--map', 'Nope=email'))).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/no column "Nope"/),
    })
    const missing = join(dir, 'missing.csv')
    expect(await cli(...importing(missing))).toMatchObject({
      code: 1,
      stderr: `overture: ${missing}: no such file or directory\n`,
    })
    expect(existsSync(`${path}.result.csv`)).toBe(false)
  })

  it('says how far it got when interrupted, and goes on when repeated', async () => {
    // Long enough that no buffer on the way can hold back the first 2,000.
    const rows = Array.from({ length: 2900 }, (_, i) => `p${i}@many.example,${'x'.repeat(400)}\n`)
    const before = await added()
    // A pipe that is not closed keeps the import waiting for more, at a known place.
    const pipe = join(dir, 'pipe.csv')
    execFileSync('mkfifo', [pipe])
    const { child, ended } = startCli(importing(pipe, '--result', join(dir, 'pipe.result.csv')), settings)
    const writer = await open(pipe, 'w')
    await writer.write(`Email,Notes\n${rows.join('')}`)
    await vi.waitFor(async () => expect(await added()).toBe(before + 2000), {
      timeout: 50_000,
      interval: 100,
    })
    const isStopping = new Promise<void>(resolve => {
      child.stderr.on('data', said => String(said).includes('Stopping') && resolve())
    })
    child.kill('SIGINT')
    await isStopping
    // A read that waits for a pipe ends only with the pipe; a file's read never waits.
    await writer.close()
    const { code, stdout, stderr } = await ended()
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/Interrupted\. 2,000 rows were done by then\. Repeat the command/)
    expect((await readFile(join(dir, 'pipe.result.csv'), 'utf8')).trim().split('\r\n')).toHaveLength(2001)

    const path = await file('many.csv', `Email,Notes\n${rows.join('')}`)
    expect(await json(...importing(path))).toMatchObject({
      total: 2900,
      outcomes: { already_in_campaign: 2000, added: 900 },
    })
    expect(await added()).toBe(before + 2900)
  })
})

describe('domains', () => {
  it('are checked by name, and get a key whose record is shown', async () => {
    const { accountId } = await aCaller(app)
    const checked = await cli('domain', 'check', 'Acme.example', '--account', accountId)
    expect(checked.code, checked.stderr).toBe(0)
    expect(checked.stdout).toMatch(/^MX\s+unknown .*\nSPF\s+unknown /)
    const { stdout } = await cli('domain', 'key', 'acme.example', '--account', accountId)
    expect(stdout).toMatch(/\novt\w+\._domainkey\.acme\.example\nv=DKIM1; k=rsa; p=[\w+/=]{300,}\n$/)
    expect((await cli('domain', 'key', 'acme', '--account', accountId)).code).toBe(2)
  })
})

describe('importing the Do Not Contact list', () => {
  it('stores what can be read, says which lines cannot, and takes a map', async () => {
    const { accountId, call } = await aCaller(app)
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
    expect(code, stderr).toBe(0)
    expect(stdout).toContain('Read 2 rows: 1 entries added')
    expect(stdout).toContain('Line 3: Blocked: cannot be read')
    expect((await call('listOptOuts', {})).data.map(({ identifier }) => identifier)).toEqual([
      'ada@x.example',
    ])
    expect(await json(...args)).toMatchObject({ added: 0, alreadyPresent: 1, invalid: 1 })
    expect((await cli(...args, '--map', 'Email=fax')).code).toBe(2)
  })

  it('takes a domain where anybody may have an address only when told to', async () => {
    const { accountId } = await aCaller(app)
    const args = ['import', 'opt-outs', await file('public.csv', 'gmail.com\nrival.example\n')]
    args.push('--account', accountId)
    expect(await json(...args)).toMatchObject({ added: 1, invalid: 1 })
    expect(await json(...args, '--confirm-public-domain')).toMatchObject({ added: 1, invalid: 0 })
  })
})

describe('exports', () => {
  let owner: Caller
  beforeAll(async () => {
    owner = await aCaller(app)
    await owner.call('addOptOuts', {
      identifiers: [{ identifier: 'ada@one.example', name: '=cmd()' }, { identifier: '+442079460018' }],
    })
    await (await aCaller(app)).call('addOptOuts', { identifiers: [{ identifier: 'rival@two.example' }] })
  })

  it('are CSV that no spreadsheet runs, of this account alone', async () => {
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

  it('are lines of JSON when asked for, and go into a file', async () => {
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

  it('end quietly when their reader has seen enough', async () => {
    await app.owner`
      insert into persons (account_id, id, email)
      select ${owner.accountId}, gen_random_uuid(), i || '@many.example' from generate_series(1, 20000) i`
    const { child, stderr } = startCli(['export', 'persons', '--account', owner.accountId], settings)
    child.stdout.once('data', () => child.stdout.destroy())
    const [code] = await once(child, 'close')
    expect({ code, stderr: await stderr }).toEqual({ code: 0, stderr: '' })
  })
})

it('migrates, and says at which version the database is', async () => {
  expect(await json('migrate')).toEqual({ version: expect.any(Number) })
})

describe('keys', () => {
  it('are rotated: the new one signs a little later, when every process knows it', async () => {
    const { id, signsFrom } = (await json('keys', 'rotate')) as { id: string; signsFrom: string }
    const [key] = await app.db.auth<{ signsFrom: Date }[]>`
      select signs_from as "signsFrom" from oauth_keys where id = ${id}`
    expect(key?.signsFrom.toISOString()).toBe(signsFrom)
  })
})
