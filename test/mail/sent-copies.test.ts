import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { openEngine } from '../../src/server/engine/loop.ts'
import { openTestApp, type TestApp } from '../support/app.ts'
import { openTcpProxy } from '../support/http/tcp-proxy.ts'
import { Dovecot, dovecotPassword, hasDovecot } from '../support/mail/dovecot.ts'
import { makeMailCampaignToLaunch } from '../support/mail/mail-campaign.ts'
import { makeOAuthMailbox, openOAuthMail } from '../support/mail/oauth-mail.ts'
import { ScriptedSmtp } from '../support/mail/scripted-smtp.ts'

const WAIT = { timeout: 180_000, interval: 100 }
const polled = { pollMs: 300, answerMs: 2_000, backoff: { baseMs: 100, maxMs: 400 } }

describe.runIf(hasDovecot())('a copy of a sent email', () => {
  let app: TestApp
  let dovecot: Dovecot
  let smtp: ScriptedSmtp
  beforeAll(async () => {
    app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
    dovecot = await Dovecot.open()
    smtp = await ScriptedSmtp.open()
  })
  afterAll(async () => {
    for (const each of [smtp, dovecot, app]) await each[Symbol.asyncDispose]()
  })
  afterEach(async () => {
    smtp.forget()
    await app.owner`update campaigns set status = 'paused' where status = 'active'`
    await app.owner`delete from mailbox_syncs`
  })

  /** Creates a campaign from a mailbox that is synced on this port, without launching it. */
  async function makeCampaign(people = 1, port = dovecot.port) {
    app.setNow(new Date())
    const campaign = await makeMailCampaignToLaunch(app, [smtp], people)
    const { owner, mailboxIds, launch } = campaign
    const mailboxId = mailboxIds[0]!
    const { email: user } = await owner.call('getMailbox', { mailboxId })
    const imap = { host: '127.0.0.1', port, tls: 'none' as const, user, password: dovecotPassword }
    await owner.call('updateMailbox', { mailboxId, imap })
    return {
      ...campaign,
      mailboxId,
      user,
      mailbox: () => owner.call('getMailbox', { mailboxId }),
      problems: async () => (await owner.call('listProblems', {})).data,
      send: async () => {
        await launch()
        await vi.waitFor(async () => expect(await countSent(owner.accountId)).toBe(people), WAIT)
      },
    }
  }

  const countSent = async (accountId: string) =>
    (await app.owner`select from email_sends where account_id = ${accountId} and state = 'sent'`).count

  const list = async (user: string, folder = 'Sent Items', server = dovecot) => {
    const output = await server.doveadm([
      'fetch',
      '-u',
      user,
      'hdr.message-id flags',
      'mailbox',
      folder,
      'all',
    ])
    return [...output.matchAll(/hdr\.message-id: (\S+)\s+flags: (.*)/g)].map(([, id, flags]) => ({
      id,
      flags,
    }))
  }
  const sentIds = () =>
    smtp.transfers.map(({ wire }) => /^Message-ID: (\S+)/im.exec(wire.toString('latin1'))?.[1])

  /** Advances the clock of the test, so that copies are due. */
  const advanceClock = (minutes = 1) => app.setNow(new Date(Date.now() + minutes * 60_000))
  const until = (check: () => Promise<void>, minutes?: number) =>
    vi.waitFor(() => {
      advanceClock(minutes)
      return check()
    }, WAIT)
  const countQueued = async (accountId: string) =>
    (await app.owner`select from sent_copies where account_id = ${accountId}`).count
  const waitUntilStored = (accountId: string, minutes?: number) =>
    until(async () => expect(await countQueued(accountId)).toBe(0), minutes)

  it('is stored in the Sent folder once, marked as read, if the server does not store it', async () => {
    const { owner, user, send, mailbox, messages } = await makeCampaign(3)
    expect(await mailbox()).toMatchObject({ savesSentCopies: true })
    await using _engine = openEngine(app, { sync: polled })
    await send()
    await waitUntilStored(owner.accountId)
    const copies = await list(user)
    expect(copies.map(({ id }) => id).sort()).toEqual(sentIds().sort())
    for (const { flags } of copies) expect(flags).toContain('\\Seen')
    expect(await messages()).toHaveLength(3)
  })

  it('is the email that the recipient received, with the Bcc addresses added', async () => {
    const { owner, mailboxId, user } = await makeCampaign()
    const email = `ada@${owner.accountId}.example`
    const { id: personId } = await owner.call('createPerson', { email })
    await using _engine = openEngine(app, { sync: polled })
    await owner.call('composeEmail', {
      ...{ personId, mailboxId, subject: 'Lunch?', body: 'On Monday?' },
      recipients: { to: [{ email }], bcc: [{ email: 'boss@acme.example' }] },
    })
    await until(async () => expect(await list(user)).toHaveLength(1))
    const copy = await dovecot.doveadm(['fetch', '-u', user, 'text', 'mailbox', 'Sent Items', 'all'])
    // An earlier transfer may be incomplete, because advancing the clock can abort it.
    const wire = smtp.transfers
      .find(({ isComplete }) => isComplete)!
      .wire.toString('latin1')
      .replace(/\r\n\.\r\n$/, '')
    expect(wire).not.toContain('boss@')
    expect(copy.replaceAll('\r', '').trim()).toBe(
      `text:\nBcc: boss@acme.example\n${wire.replaceAll('\r', '')}`.trim(),
    )
  })

  it('is not stored again when the provider has already stored one', async () => {
    const { owner, user, send } = await makeCampaign()
    await using _engine = openEngine(app, { sync: polled })
    await send()
    const raw = smtp.transfers[0]!.wire.subarray(0, -5).toString('latin1')
    await dovecot.doveadm(['save', '-u', user, '-m', 'Sent Items'], raw)
    await waitUntilStored(owner.accountId)
    expect(await list(user)).toHaveLength(1)
  })

  it('is stored by the next engine if the first engine shut down after sending', async () => {
    const { owner, user, send } = await makeCampaign()
    {
      await using _engine = openEngine(app, { sync: polled })
      await send()
    }
    expect(await list(user)).toEqual([])
    await using _engine = openEngine(app, { sync: polled })
    await waitUntilStored(owner.accountId)
    expect(await list(user)).toHaveLength(1)
    expect(smtp.transfers).toHaveLength(1)
  })

  it("is stored once when the server's response is lost, and the email is sent once", async () => {
    let appends = 0
    await using proxy = await openTcpProxy(dovecot.port, {
      toClient: data => {
        const isResponse = /APPENDUID|Append completed/.test(data.toString('latin1'))
        if (isResponse) appends += 1
        return isResponse && appends === 1 ? undefined : data
      },
    })
    const { owner, user, send } = await makeCampaign(1, proxy.port)
    await using _engine = openEngine(app, { sync: polled })
    await send()
    await waitUntilStored(owner.accountId, 10)
    expect(await list(user)).toHaveLength(1)
    expect(smtp.transfers).toHaveLength(1)
  })

  it('is dropped with a visible notice after a few refusals, which do not delay replies or other emails', async () => {
    await using proxy = await openTcpProxy(dovecot.port, {
      toServer: data =>
        Buffer.from(
          data.toString('latin1').replace(/APPEND "?Sent Items"?/, 'APPEND "No such folder"'),
          'latin1',
        ),
    })
    const { owner, user, send, mailbox, problems, mailboxId } = await makeCampaign(1, proxy.port)
    {
      await using _engine = openEngine(app, { sync: polled })
      await send()
      for (const minutes of [1, 10, 30, 90, 180, 400])
        await until(async () => {
          const { lastSyncedAt } = await mailbox()
          expect(Date.parse(lastSyncedAt!)).toBeGreaterThan(Date.now() + (minutes - 0.5) * 60_000)
        }, minutes)
      await waitUntilStored(owner.accountId, 400)
      expect(await mailbox()).toMatchObject({
        status: 'active',
        syncStatus: 'syncing',
        sentCopyError: expect.stringContaining('No such folder'),
      })
      expect(await problems()).toMatchObject([
        { kind: 'sent_copies_failing', severity: 'low', about: { id: mailboxId } },
      ])
    }
    expect(smtp.transfers).toHaveLength(1)
    expect(await list(user)).toEqual([])
    await owner.call('updateMailbox', { mailboxId, savesSentCopies: false })
    expect(await problems()).toEqual([])
  })

  it('is not stored when the mailbox has copies turned off', async () => {
    const { owner, mailboxId, send } = await makeCampaign()
    await owner.call('updateMailbox', { mailboxId, savesSentCopies: false })
    await using _engine = openEngine(app, { sync: polled })
    await send()
    expect(await countQueued(owner.accountId)).toBe(0)
  })
})

it.each([
  ['smtp.gmail.com', false],
  ['smtp-mail.outlook.com', false],
  ['smtppro.zoho.eu', false],
  ['smtp-relay.gmail.com', true],
  ['smtp.mail.me.com', true],
  ['mail.acme.example', true],
])('a mailbox at %s has savesSentCopies set to %s by default', async (host, expected) => {
  await using app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
  const { owner, mailboxIds } = await makeMailCampaignToLaunch(app, [{ port: 1 }], 1)
  const mailboxId = mailboxIds[0]!
  const server = { host, port: 587, tls: 'starttls' as const, user: 'ada', password: 'secret' }
  const imap = { ...server, host: 'imap.acme.example', port: 993, tls: 'implicit' as const }
  const changed = await owner.call('updateMailbox', { mailboxId, smtp: server, imap })
  expect(changed.savesSentCopies).toBe(expected)
})

describe.runIf(hasDovecot()).each(['google', 'microsoft'] as const)('a mailbox connected at %s', mode => {
  it('has savesSentCopies set to false by default, unless it is a shared Microsoft mailbox', async () => {
    await using mail = await openOAuthMail(mode)
    const { connect } = await makeOAuthMailbox(mail)
    expect(await connect()).toMatchObject({ savesSentCopies: false })
    if (mode === 'google') return
    // The provider saves the emails of a shared mailbox in the mailbox of the user who signs in.
    const shared = await makeOAuthMailbox(mail, { isShared: true })
    expect(await shared.connect()).toMatchObject({ savesSentCopies: true })
  })
})
