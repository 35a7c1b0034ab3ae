import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { makeDueCampaign } from '../../../../test/support/campaigns/due-campaign.ts'
import { planOnce } from '../../../../test/support/campaigns/tick.ts'
import { ScriptedSmtp } from '../../../../test/support/mail/scripted-smtp.ts'
import { inAccount } from '../../kernel/context.ts'
import { failMailbox } from './circuit-breaker.ts'
import { findMailbox, openTransport } from './transport.ts'

let app: TestApp
let admin: Caller
let repId: string
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
  admin = await makeCaller(app, 'admin')
  repId = (await admin.call('createRep', { name: 'Grace' })).id
})
afterAll(() => app[Symbol.asyncDispose]())

const password = 'correct horse battery 7431'
const makeAddress = () => `${randomUUIDv7()}@navy.example`
const makeSandbox = (email = makeAddress()) => admin.call('createMailbox', { repId, kind: 'sandbox', email })
const makeSmtp = (server: { host?: string; port?: number; password?: string } = {}, email = makeAddress()) =>
  admin.call('createMailbox', {
    repId,
    kind: 'smtp',
    email,
    smtp: { host: '127.0.0.1', port: 587, tls: 'none', user: 'grace', password, ...server },
  })

describe('a mailbox', () => {
  it('is active immediately as a sandbox, but unverified with an SMTP server', async () => {
    const sandbox = await makeSandbox('Grace@NAVY.example')
    expect(sandbox).toMatchObject({ email: 'grace@navy.example', status: 'active', kind: 'sandbox' })
    expect(sandbox.smtp).toBeUndefined()
    const smtp = await makeSmtp()
    expect(smtp).toMatchObject({
      status: 'unverified',
      smtp: { host: '127.0.0.1', port: 587, user: 'grace' },
    })
  })

  it('has a unique address until it is removed', async () => {
    const email = makeAddress()
    const { id: mailboxId } = await makeSandbox(email)
    await expect(makeSandbox(email.toUpperCase())).rejects.toMatchObject({ code: 'Conflict' })
    expect(await admin.call('deleteMailbox', { mailboxId })).toEqual({ ok: true })
    await expect(admin.call('getMailbox', { mailboxId })).rejects.toMatchObject({ code: 'NotFound' })
    await expect(admin.call('deleteMailbox', { mailboxId })).rejects.toMatchObject({ code: 'NotFound' })
    expect((await makeSandbox(email)).email).toBe(email)
  })

  it('is rejected with an invalid address, rep or server', async () => {
    const errors = [
      [{ repId, kind: 'sandbox', email: 'nobody' }, 'email'],
      [{ repId: randomUUIDv7(), kind: 'sandbox', email: makeAddress() }, 'repId'],
      [{ repId, kind: 'smtp', email: makeAddress() }, 'smtp'],
      [
        { repId, kind: 'smtp', email: makeAddress(), smtp: { host: 'a b', port: 25, tls: 'none' } },
        'smtp.host',
      ],
      [
        {
          repId,
          kind: 'smtp',
          email: makeAddress(),
          smtp: { host: 'a.example', port: 25, tls: 'none', password },
        },
        'smtp.user',
      ],
    ] as const
    for (const [input, path] of errors) {
      await expect(admin.call('createMailbox', input)).rejects.toMatchObject({
        code: 'ValidationError',
        details: [{ path }],
      })
    }
  })

  it('cannot be changed by a member who does not own its rep', async () => {
    const member = await makeCaller(app, 'member', admin.accountId)
    const { id: mailboxId } = await makeSandbox()
    expect((await member.call('getMailbox', { mailboxId })).id).toBe(mailboxId)
    const forbidden = { code: 'Forbidden' }
    await expect(
      member.call('createMailbox', { repId, kind: 'sandbox', email: makeAddress() }),
    ).rejects.toMatchObject(forbidden)
    await expect(member.call('updateMailbox', { mailboxId, senderName: 'Me' })).rejects.toMatchObject(
      forbidden,
    )
    await expect(member.call('verifyMailbox', { mailboxId })).rejects.toMatchObject(forbidden)
    await expect(member.call('deleteMailbox', { mailboxId })).rejects.toMatchObject(forbidden)
  })

  it('keeps its sender name until the name is cleared with null', async () => {
    const { id: mailboxId } = await makeSandbox()
    const inputs = [{ senderName: 'Grace H' }, { dailyCap: 9 }, { senderName: null }]
    const names: unknown[] = []
    for (const input of inputs)
      names.push((await admin.call('updateMailbox', { mailboxId, ...input })).senderName)
    expect(names).toEqual(['Grace H', 'Grace H', undefined])
  })

  it('is listed by rep until it is removed', async () => {
    const rep = await admin.call('createRep', { name: 'Lister' })
    const create = () => admin.call('createMailbox', { repId: rep.id, kind: 'sandbox', email: makeAddress() })
    const [first, second, removed] = [await create(), await create(), await create()]
    await admin.call('deleteMailbox', { mailboxId: removed.id })
    const { data } = await admin.call('listMailboxes', { repId: rep.id })
    expect(data.map(({ id }) => id)).toEqual([second.id, first.id])
  })

  it('can be deleted while emails of a campaign are queued, which wait for another mailbox', async () => {
    const { owner, campaignId, mailboxId, ids } = await makeDueCampaign(app, 1)
    const next = async () => (await owner.call('getProspect', { prospectId: ids[0]! })).next
    await planOnce(app)
    expect(await next()).toMatchObject({ heldBy: 'being_sent' })
    await owner.call('pauseCampaign', { campaignId })
    expect(await next()).toEqual({ step: 1, stepId: expect.any(String), heldBy: 'campaign_paused' })
    await owner.call('deleteMailbox', { mailboxId })
    await owner.call('resumeCampaign', { campaignId })
    expect(await next()).toMatchObject({ heldBy: 'no_working_mailbox' })
  })

  it('cannot be deleted while an email that a person wrote is queued', async () => {
    const { id: mailboxId } = await makeSandbox()
    const { accountId } = admin
    const id = randomUUIDv7()
    await app.owner`insert into email_threads (account_id, id, subject) values (${accountId}, ${id}, 'a')`
    await app.owner`
      insert into email_messages (account_id, id, thread_id, type, subject, body, recipients, message_id, sent_at)
      values (${accountId}, ${id}, ${id}, 'campaign', 'a', 'b', '{"to":[]}', '<a@b>', now())`
    await app.owner`
      insert into email_sends (account_id, message_id, mailbox_id, state, recipient_emails)
      values (${accountId}, ${id}, ${mailboxId}, 'queued', '{a@b.example}')`
    await expect(admin.call('deleteMailbox', { mailboxId })).rejects.toMatchObject({
      code: 'Conflict',
      message: expect.stringContaining('Cancel its scheduled emails'),
    })
    await app.owner`update email_sends set state = 'sent' where message_id = ${id}`
    expect(await admin.call('deleteMailbox', { mailboxId })).toEqual({ ok: true })
  })
})

describe('verifying a mailbox', () => {
  it('signs in to the server with the stored password', async () => {
    await using server = await ScriptedSmtp.open()
    const { id: mailboxId } = await makeSmtp({ port: server.port })
    const verified = await admin.call('verifyMailbox', { mailboxId })
    expect(verified.status).toBe('active')
    expect(verified.verifiedAt).toBeDefined()
    const credentials = Buffer.from(
      server.commands
        .find(line => line.startsWith('AUTH'))!
        .split(' ')
        .at(-1)!,
      'base64',
    )
    expect(credentials.toString()).toBe(`\0grace\0${password}`)
  })

  it("reports the server's error without the password, even if the server repeats it", async () => {
    await using server = await ScriptedSmtp.open(step =>
      step === 'AUTH'
        ? `535 5.7.8 no such login: ${password} ${Buffer.from(`\0grace\0${password}`).toString('base64')}`
        : undefined,
    )
    const { id: mailboxId } = await makeSmtp({ port: server.port })
    const failing = await admin.call('verifyMailbox', { mailboxId })
    expect(failing).toMatchObject({ status: 'failing', statusReason: expect.stringContaining('535') })
    expect(failing.statusReason).not.toContain(password)
    expect(failing.statusReason).not.toContain(Buffer.from(password).toString('base64').slice(0, 12))
    server.script = () => undefined
    const working = await admin.call('verifyMailbox', { mailboxId })
    expect(working.status).toBe('active')
    expect(working.statusReason).toBeUndefined()
  })

  it('rejects servers on private addresses that the operator did not allow', async () => {
    const { id: mailboxId } = await makeSmtp({ host: '127.0.0.2' })
    expect(await admin.call('verifyMailbox', { mailboxId })).toMatchObject({
      status: 'failing',
      statusReason: expect.stringContaining('private'),
    })
  })

  it('throws Conflict if the server was changed in the meantime', async () => {
    const signingIn = Promise.withResolvers<void>()
    const server = await ScriptedSmtp.open(step => {
      if (step !== 'AUTH') return undefined
      signingIn.resolve()
      return 'silent'
    })
    const { id: mailboxId } = await makeSmtp({ port: server.port })
    const verifying = admin.call('verifyMailbox', { mailboxId }).catch((error: unknown) => error)
    await signingIn.promise
    await admin.call('updateMailbox', { mailboxId, smtp: { password: 'another' } })
    await server[Symbol.asyncDispose]()
    expect(await verifying).toMatchObject({ code: 'Conflict' })
    expect((await admin.call('getMailbox', { mailboxId })).status).toBe('unverified')
  })
})

describe('changing the server settings', () => {
  it('makes the mailbox unverified and keeps the fields that are not given', async () => {
    await using server = await ScriptedSmtp.open()
    const { id: mailboxId } = await makeSmtp({ port: server.port })
    await admin.call('verifyMailbox', { mailboxId })
    expect((await admin.call('updateMailbox', { mailboxId, senderName: 'Grace H' })).status).toBe('active')
    const changed = await admin.call('updateMailbox', { mailboxId, smtp: { port: 2525, password } })
    expect(changed).toMatchObject({
      senderName: 'Grace H',
      status: 'unverified',
      smtp: { host: '127.0.0.1', port: 2525, tls: 'none', user: 'grace' },
    })
    expect(changed.verifiedAt).toBeUndefined()
  })

  it.each([
    ['another host', { host: 'thief.example' }],
    ['another port of the same host', { port: 2525 }],
    ['the same port without TLS', { tls: 'none' }],
    ['the same port with STARTTLS', { tls: 'starttls' }],
  ] as const)('requires the password again for %s', async (_change, smtp) => {
    const { id: mailboxId } = await makeSmtp()
    const server = { host: 'smtp.navy.example', port: 465, tls: 'implicit', password } as const
    await admin.call('updateMailbox', { mailboxId, smtp: server })
    await expect(admin.call('updateMailbox', { mailboxId, smtp })).rejects.toMatchObject({
      code: 'ValidationError',
      details: [{ path: 'smtp.password' }],
    })
    const changed = await admin.call('updateMailbox', { mailboxId, smtp: { ...smtp, password } })
    expect(changed.smtp).toMatchObject(smtp)
  })

  it('keeps the stored password with another user name and stronger TLS', async () => {
    const { id: mailboxId } = await makeSmtp()
    const changed = await admin.call('updateMailbox', {
      mailboxId,
      smtp: { user: 'hopper', tls: 'starttls' },
    })
    expect(changed.smtp).toMatchObject({ user: 'hopper', tls: 'starttls' })
  })

  it('removes the stored password when the user name is set to null', async () => {
    const { id: mailboxId } = await makeSmtp()
    const smtp = { host: 'relay.example', port: 25, user: null } as const
    expect((await admin.call('updateMailbox', { mailboxId, smtp })).smtp).toEqual({
      host: 'relay.example',
      port: 25,
      tls: 'none',
    })
    await expect(
      admin.call('updateMailbox', { mailboxId, smtp: { user: null, password } }),
    ).rejects.toMatchObject({ details: [{ path: 'smtp.user' }] })
    await admin.call('updateMailbox', { mailboxId, smtp: { user: 'grace' } })
    const mailbox = await inAccount(app.db.app, admin.accountId, tx => findMailbox(tx, mailboxId))
    expect(mailbox).toMatchObject({ user: 'grace', password: null })
  })

  it('moves the mailbox to another server with a new password', async () => {
    const { id: mailboxId } = await makeSmtp()
    const moved = await admin.call('updateMailbox', {
      mailboxId,
      smtp: { host: 'new.example', password: 'another' },
    })
    expect(moved.smtp?.host).toBe('new.example')
  })

  it('is rejected for a sandbox', async () => {
    const { id: mailboxId } = await makeSandbox()
    await expect(admin.call('updateMailbox', { mailboxId, smtp: { port: 25 } })).rejects.toMatchObject({
      code: 'ValidationError',
    })
  })
})

describe('the engine', () => {
  it('gets the connection settings with the decrypted password', async () => {
    const { id } = await makeSmtp()
    const mailbox = await inAccount(app.db.app, admin.accountId, tx => findMailbox(tx, id))
    expect(await openTransport(app, mailbox!)).toMatchObject({
      transport: { host: '127.0.0.1', tls: 'none', user: 'grace', password },
    })
  })

  it('cannot decrypt a password that was copied from another mailbox', async () => {
    const [from, to] = [await makeSmtp(), await makeSmtp()]
    await app.owner`
      update mailboxes set smtp_password = (select smtp_password from mailboxes where id = ${from.id})
       where id = ${to.id}`
    const mailbox = await inAccount(app.db.app, admin.accountId, tx => findMailbox(tx, to.id))
    expect(await openTransport(app, mailbox!)).toMatchObject({
      reason: expect.stringContaining('a different secret'),
    })
  })

  it('marks a mailbox as failing', async () => {
    const { id: mailboxId } = await makeSandbox()
    await inAccount(app.db.app, admin.accountId, tx =>
      failMailbox(
        tx,
        { id: mailboxId, failureCount: 0 },
        { reason: 'Quota used up', isServerDown: false },
        new Date(),
      ),
    )
    expect(await admin.call('getMailbox', { mailboxId })).toMatchObject({
      status: 'failing',
      statusReason: 'Quota used up',
    })
  })
})

it('no password is stored in readable form anywhere in the database', async () => {
  const { id: mailboxId } = await makeSmtp()
  await admin.call('updateMailbox', { mailboxId, smtp: { password: `${password}!` } })
  const columns = await app.owner<{ table: string; column: string }[]>`
    select table_name as table, column_name as column from information_schema.columns
     where table_schema = 'public' and data_type in ('text', 'bytea', 'jsonb', 'json', 'ARRAY')`
  const secrets = [
    password,
    Buffer.from(password).toString('base64').slice(0, 24),
    Buffer.from(password).toString('hex'),
  ]
  for (const { table, column } of columns) {
    const hits = await app.owner`
      select from ${app.owner.identifier(table)} where ${app.owner.identifier(column)}::text like any(${secrets.map(s => `%${s}%`)})`
    expect({ table, column, hits: hits.count }).toEqual({ table, column, hits: 0 })
  }
})

it.each([
  ['ada@acme.example', 'smtp.gmail.com', 2_000, undefined],
  ['ada@gmail.com', 'smtp.gmail.com', 500, undefined],
  ['ada@acme.example', 'smtp.office365.com', 10_000, 2],
  ['ada@acme.example', 'mail.acme.example', undefined, undefined],
])(
  'a mailbox of %s at %s starts with the default limits of its provider',
  async (email, host, dailyCap, minGapSeconds) => {
    const owner = await makeCaller(app)
    const { id: repId } = await owner.call('createRep', { name: 'Ada Byron' })
    const add = (given: object) =>
      owner.call('createMailbox', {
        ...{ repId, kind: 'smtp' as const, email, smtp: { host, port: 587, tls: 'starttls' as const } },
        ...given,
      })
    const { id: mailboxId, ...created } = await add({})
    expect([created.dailyCap, created.minGapSeconds]).toEqual([dailyCap, minGapSeconds])
    await owner.call('deleteMailbox', { mailboxId })
    const unlimited = await add({ dailyCap: null, minGapSeconds: 0 })
    expect([unlimited.dailyCap, unlimited.minGapSeconds]).toEqual([undefined, undefined])
  },
)
