import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { Dovecot, dovecotPassword, hasDovecot } from '../../../../test/support/mail/dovecot.ts'
import { ScriptedSmtp } from '../../../../test/support/mail/scripted-smtp.ts'

let app: TestApp
let admin: Caller
let repId: string
let smtp: ScriptedSmtp
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
  admin = await makeCaller(app, 'admin')
  repId = (await admin.call('createRep', { name: 'Grace' })).id
  smtp = await ScriptedSmtp.open()
})
afterAll(async () => {
  await smtp[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

const makeServer = (port: number, password = dovecotPassword) =>
  ({ host: '127.0.0.1', port, tls: 'none', user: 'grace@navy.example', password }) as const
const makeMailbox = (imap?: ReturnType<typeof makeServer>) =>
  admin.call('createMailbox', {
    repId,
    kind: 'smtp',
    email: `${randomUUIDv7()}@navy.example`,
    smtp: { host: '127.0.0.1', port: smtp.port, tls: 'none' },
    imap,
  })

describe('the IMAP settings of a mailbox', () => {
  it('are shown without the password and removed with null', async () => {
    const { password, ...shown } = makeServer(993)
    const mailbox = await makeMailbox(makeServer(993))
    expect(mailbox).toMatchObject({ imap: shown, syncStatus: 'waiting' })
    expect(mailbox.imap?.syncFrom).toBeDefined()
    expect(JSON.stringify(mailbox)).not.toContain(password)
    const { id: mailboxId } = mailbox
    const changed = await admin.call('updateMailbox', { mailboxId, imap: { port: 1993, password } })
    expect(changed.imap).toMatchObject({ ...shown, port: 1993 })
    const removed = await admin.call('updateMailbox', { mailboxId, imap: null })
    expect([removed.imap, removed.syncStatus]).toEqual([undefined, undefined])
    expect((await admin.call('updateMailbox', { mailboxId, imap: makeServer(993) })).imap).toMatchObject(
      shown,
    )
    expect(await admin.call('deleteMailbox', { mailboxId })).toEqual({ ok: true })
    const [left] = await app.owner`select from mailbox_syncs where mailbox_id = ${mailboxId}`
    expect(left, 'the password is deleted with the mailbox').toBeUndefined()
  })

  it('are rejected if they are incomplete or invalid, and the error names the field', async () => {
    const { id: mailboxId } = await makeMailbox()
    const sandbox = await admin.call('createMailbox', {
      repId,
      kind: 'sandbox',
      email: `${randomUUIDv7()}@navy.example`,
    })
    const errorAt = (path: string) => ({ code: 'ValidationError', details: [{ path }] })
    const update = (imap: object, id = mailboxId) => admin.call('updateMailbox', { mailboxId: id, imap })
    await expect(update({ host: 'imap.navy.example' })).rejects.toMatchObject(errorAt('imap.port'))
    await expect(update({ ...makeServer(993), host: 'a b' })).rejects.toMatchObject(errorAt('imap.host'))
    await expect(update({ ...makeServer(993), password: undefined })).rejects.toMatchObject(
      errorAt('imap.password'),
    )
    await expect(update(makeServer(993), sandbox.id)).rejects.toMatchObject(errorAt('imap'))
  })

  it('require the password again for another server or weaker TLS', async () => {
    const { id: mailboxId } = await makeMailbox(makeServer(993))
    const otherHost = { host: 'imap.stranger.example' }
    const secured = { port: 993, tls: 'implicit' } as const
    await admin.call('updateMailbox', { mailboxId, imap: secured })
    for (const imap of [otherHost, { port: 143 }, { tls: 'starttls' }, { tls: 'none' }] as const) {
      await expect(admin.call('updateMailbox', { mailboxId, imap })).rejects.toMatchObject({
        details: [{ path: 'imap.password' }],
      })
    }
    const imap = { ...otherHost, password: 'another' }
    const changed = await admin.call('updateMailbox', { mailboxId, imap })
    expect(changed.imap?.host).toBe('imap.stranger.example')
  })

  it('contain a password that no other mailbox can decrypt', async () => {
    const [one, other] = [await makeMailbox(makeServer(993)), await makeMailbox(makeServer(993))]
    await app.owner`
      update mailbox_syncs r set password = o.password
        from mailbox_syncs o where r.mailbox_id = ${one.id} and o.mailbox_id = ${other.id}`
    await expect(admin.call('verifyMailbox', { mailboxId: one.id })).rejects.toMatchObject({
      code: 'Conflict',
    })
  })
})

describe.runIf(hasDovecot())('verifying a mailbox', () => {
  let dovecot: Dovecot
  beforeAll(async () => {
    dovecot = await Dovecot.open()
  })
  afterAll(() => dovecot[Symbol.asyncDispose]())

  it('tries SMTP and IMAP and reports which of them fails', async () => {
    const { id: mailboxId } = await makeMailbox(makeServer(dovecot.port, 'wrong'))
    const failing = await admin.call('verifyMailbox', { mailboxId })
    expect(failing).toMatchObject({
      status: 'active',
      syncStatus: 'failing',
      syncStatusReason: expect.stringContaining('rejected the user name or password'),
    })
    await admin.call('updateMailbox', { mailboxId, imap: { password: dovecotPassword } })
    const working = await admin.call('verifyMailbox', { mailboxId })
    expect(working).toMatchObject({ status: 'active', syncStatus: 'waiting' })
    expect(working.syncStatusReason).toBeUndefined()
  })

  it('does not connect to private addresses that the operator did not allow', async () => {
    const { id: mailboxId } = await makeMailbox({
      ...makeServer(dovecot.port),
      host: '127.0.0.2' as '127.0.0.1',
    })
    expect(await admin.call('verifyMailbox', { mailboxId })).toMatchObject({
      syncStatus: 'failing',
      syncStatusReason: expect.stringContaining('private'),
    })
  })
})
