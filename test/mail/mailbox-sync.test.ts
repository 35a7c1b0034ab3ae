import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { openEngine } from '../../src/server/engine/loop.ts'
import { EngineProcesses } from '../chaos/engine-processes.ts'
import { FaultProxy } from '../chaos/fault-proxy.ts'
import { openTestApp, type TestApp } from '../support/app.ts'
import { openTcpProxy } from '../support/http/tcp-proxy.ts'
import { makeReply } from '../support/mail/answers.ts'
import { Dovecot, dovecotPassword, hasDovecot } from '../support/mail/dovecot.ts'
import { openGmail } from '../support/mail/gmail.ts'
import { makeMailCampaign } from '../support/mail/mail-campaign.ts'
import { ScriptedSmtp } from '../support/mail/scripted-smtp.ts'
import { readMails } from '../support/mail/sent-mail.ts'

const WAIT = { timeout: 180_000, interval: 100 }
/** Turns off polling, so that only announcements by the server trigger a sync. */
const unpolled = { pollMs: 3_600_000 }
/** Polls all folders every 300 ms and retries failures soon. */
const polled = { pollMs: 300, answerMs: 1_000, backoff: { baseMs: 100, maxMs: 400 } }

describe.runIf(hasDovecot())('an email that arrives in a mailbox', () => {
  let app: TestApp
  let dovecot: Dovecot
  beforeAll(async () => {
    app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
    dovecot = await Dovecot.open()
  })
  afterAll(async () => {
    await dovecot[Symbol.asyncDispose]()
    await app[Symbol.asyncDispose]()
  })

  afterEach(() => app.owner`delete from mailbox_syncs`)

  /** Creates a campaign whose first of two steps has been sent, from a mailbox that is synced on this port. */
  async function makeSentCampaign(people: number, port = dovecot.port, store = dovecot) {
    await using server = await ScriptedSmtp.open()
    const campaign = await makeMailCampaign(app, [server], people, [
      { subject: 'Hello', body: 'Hi' },
      { delay: { amount: 1, unit: 'days' }, body: 'Did you see this?' },
    ])
    {
      await using _engine = openEngine(app)
      await server.until(() => server.transfers.filter(({ isComplete }) => isComplete).length === people)
    }
    const { owner } = campaign
    const mailboxId = campaign.mailboxIds[0]!
    const { email: user } = await owner.call('getMailbox', { mailboxId })
    const imap = { host: '127.0.0.1', port, tls: 'none' as const, user, password: dovecotPassword }
    await owner.call('updateMailbox', { mailboxId, imap })
    const mails = await readMails(server)
    const mailbox = () => owner.call('getMailbox', { mailboxId })
    const received = async () => (await campaign.messages()).filter(({ type }) => type === 'received')
    return {
      ...campaign,
      mailboxId,
      user,
      mails,
      mailbox,
      received,
      change: (imap: object) =>
        owner.call('updateMailbox', { mailboxId, imap: { password: dovecotPassword, ...imap } }),
      waitForStatus: (status: string) =>
        vi.waitFor(async () => expect((await mailbox()).syncStatus).toBe(status), WAIT),
      waitForReplies: (count: number) =>
        vi.waitFor(async () => expect(await received()).toHaveLength(count), WAIT),
      /** Waits until a sync of all folders that begins after now has finished. */
      waitForSync: async () => {
        const now = Date.now()
        await vi.waitFor(
          async () => expect(Date.parse((await mailbox()).lastSyncedAt ?? '')).toBeGreaterThan(now),
          WAIT,
        )
      },
      reply: (n: number, text?: string) => store.deliver(user, makeReply(mails[n]!, text)),
      save: (folder: string, raw: string | Buffer) => store.doveadm(['save', '-u', user, '-m', folder], raw),
    }
  }

  it('is received as soon as the server announces it', async () => {
    const { reply, waitForReplies, waitForStatus } = await makeSentCampaign(2)
    await reply(0)
    await using _engine = openEngine(app, { sync: unpolled })
    await waitForReplies(1)
    await waitForStatus('syncing')
    await reply(1)
    await waitForReplies(2)
  })

  it('is found in the junk folder too, and a copy of a sent email is not a reply', async () => {
    const { mails, save, waitForReplies, waitForSync } = await makeSentCampaign(1)
    await using _engine = openEngine(app, { sync: polled })
    await waitForSync()
    const { mail, to } = mails[0]!
    const copy = `Message-ID: ${mail.messageId}\r\nFrom: ${mail.from!.address}\r\nTo: ${to}\r\n\r\nHi\r\n`
    for (const folder of ['INBOX', 'Sent Items']) await save(folder, copy)
    await save('Spam', makeReply(mails[0]!))
    await waitForReplies(1)
    await waitForSync()
    await waitForReplies(1)
  })

  it.each(['Archive', 'Trash'])(
    'is found in the folder %s when a rep moved it there before the first sync',
    async folder => {
      const { reply, user, waitForReplies } = await makeSentCampaign(1)
      await reply(0)
      await dovecot.doveadm(['mailbox', 'create', '-u', user, folder])
      await dovecot.doveadm(['move', '-u', user, folder, 'mailbox', 'INBOX', 'all'])
      await using _engine = openEngine(app, { sync: unpolled })
      await waitForReplies(1)
    },
  )

  it('is received by the first full sync, even when a rep archives it in the meantime', async () => {
    const { reply, user, change, received, mailbox } = await makeSentCampaign(1)
    await reply(0)
    await dovecot.doveadm(['mailbox', 'create', '-u', user, 'Archive'])
    const opened: string[] = []
    await using server = await openTcpProxy(dovecot.port, {
      toServer: async data => {
        const [, folder] = /EXAMINE "?(\w+)/.exec(data.toString('latin1')) ?? []
        if (folder) opened.push(folder)
        if (folder === 'INBOX' && opened.includes('Archive'))
          await dovecot.doveadm(['move', '-u', user, 'Archive', 'mailbox', 'INBOX', 'all'])
        return data
      },
    })
    await change({ port: server.port })
    await using _engine = openEngine(app, { sync: unpolled })
    await vi.waitFor(async () => expect((await mailbox()).lastSyncedAt).toBeDefined(), WAIT)
    expect(opened).toContain('Archive')
    expect(await received()).toHaveLength(1)
  })

  it('is found when it arrived after the first sent email, even when sync was turned on later', async () => {
    const { change, mailboxId, mailbox, owner } = await makeSentCampaign(1)
    const sentAt = new Date(Date.now() - 20 * 24 * 60 * 60_000)
    await app.owner`update email_sends set created_at = ${sentAt} where mailbox_id = ${mailboxId}`
    const { syncFrom: _, ...imap } = (await mailbox()).imap!
    await owner.call('updateMailbox', { mailboxId, imap: null })
    await change({ ...imap, password: dovecotPassword })
    expect((await mailbox()).imap?.syncFrom).toBe(sentAt.toISOString())
  })

  it('is found after the server was restored from an older backup', async () => {
    const { mails, user, save, waitForReplies, waitForSync } = await makeSentCampaign(3)
    const setValidity = () =>
      dovecot.doveadm(['mailbox', 'update', '-u', user, '--uid-validity', '77', 'Spam'])
    await setValidity()
    {
      await using _engine = openEngine(app, { sync: polled })
      for (const mail of mails.slice(0, 2)) await save('Spam', makeReply(mail))
      await waitForReplies(2)
      await waitForSync()
    }
    await dovecot.doveadm(['mailbox', 'delete', '-u', user, 'Spam'])
    await dovecot.doveadm(['mailbox', 'create', '-u', user, 'Spam'])
    await setValidity()
    await save('Spam', makeReply(mails[2]!))
    await using _engine = openEngine(app, { sync: polled })
    await waitForReplies(3)
  })

  it('appears in the thread once when a rep sent it from another program', async () => {
    const { mails, user, save, messages, prospects, waitForSync } = await makeSentCampaign(2)
    await using _engine = openEngine(app, { sync: polled })
    await waitForSync()
    const { mail, to } = mails[0]!
    const copy = `Message-ID: ${mail.messageId}\r\nFrom: ${user}\r\nTo: ${to}\r\n\r\nHi\r\n`
    const own = `Message-ID: <own@phone.example>\r\nFrom: ${user}\r\nTo: ${to}\r\nSubject: Lunch?\r\n\r\nOn Monday?\r\n`
    for (const raw of [copy, own, own]) await save('Sent Items', raw)
    const manual = async () => (await messages()).filter(({ type }) => type === 'manual')
    await vi.waitFor(async () => expect(await manual()).toHaveLength(1), WAIT)
    await waitForSync()
    expect(await messages()).toHaveLength(3)
    const [message] = await manual()
    expect(message).toMatchObject({ subject: 'Lunch?', status: 'sent' })
    const first = (await messages()).find(
      ({ recipients, type }) => type === 'campaign' && recipients.to[0]!.email === to,
    )
    expect(message!.emailThreadId).toBe(first!.emailThreadId)
    expect((await prospects()).map(({ statusReason }) => statusReason).sort()).toEqual([
      'manual_email',
      undefined,
    ])
  })

  it('is received when it replies to an email that a rep wrote in another program, even if one sync reads both', async () => {
    const { user, save, owner, campaignId, waitForReplies } = await makeSentCampaign(1)
    const email = `new${Date.now()}@fresh.example`
    await owner.call('pauseCampaign', { campaignId })
    await owner.call('addProspectsToCampaign', { campaignId, data: [{ email }] })
    const own = `Message-ID: <lunch@phone.example>\r\nFrom: ${user}\r\nTo: ${email}\r\nSubject: Lunch?\r\n\r\nOn Monday?\r\n`
    const reply = `Message-ID: <yes@fresh.example>\r\nFrom: ${email}\r\nTo: ${user}\r\nIn-Reply-To: <lunch@phone.example>\r\n\r\nGladly.\r\n`
    await save('Sent Items', own)
    await save('INBOX', reply)
    await using _engine = openEngine(app, { sync: unpolled })
    await waitForReplies(1)
  })

  it('is read once from Gmail, whose folder of all mail also lists the emails of other folders', async () => {
    await using gmail = await openGmail()
    const campaign = await makeSentCampaign(4, gmail.port, gmail.dovecot)
    const { mails, user, reply, save, waitForReplies, waitForSync, messages } = campaign
    const { mail, to } = mails[0]!
    const copy = `Message-ID: ${mail.messageId}\r\nFrom: ${user}\r\nTo: ${to}\r\n\r\nHi\r\n`
    const own = `Message-ID: <own@phone.example>\r\nFrom: alias@acme.example\r\nTo: ${mails[3]!.to}\r\nSubject: Lunch?\r\n\r\nHi\r\n`
    for (const raw of [copy, own]) await save('Sent Items', raw)
    await gmail.dovecot.doveadm(['flags', 'add', '-u', user, '\\Flagged', 'mailbox', 'Sent Items', 'all'])
    await reply(0)
    // A filter archived this reply, so it skipped the inbox.
    await save('Label', makeReply(mails[1]!))
    await save('Spam', makeReply(mails[2]!))
    await using _engine = openEngine(app, { sync: polled })
    await waitForReplies(3)
    await waitForSync()
    await waitForSync()
    expect((await messages()).filter(({ type }) => type === 'manual')).toMatchObject([{ subject: 'Lunch?' }])
    const expected = ['Spam 1', ...[1, 2, 3, 4].map(uid => `[Gmail]/All Mail ${uid}`)]
    expect(gmail.fetched.toSorted()).toEqual(expected.toSorted())
  })

  it('is received once even when the server changes UIDVALIDITY', async () => {
    const { user, reply, waitForReplies, mailboxId } = await makeSentCampaign(3)
    await reply(0)
    await reply(1)
    await using _engine = openEngine(app, { sync: polled })
    await waitForReplies(2)
    await dovecot.doveadm(['mailbox', 'update', '-u', user, '--uid-validity', '77', 'INBOX'])
    await reply(2)
    await vi.waitFor(async () => {
      const [inbox] = await app.owner`
        select uid_validity, last_uid from mailbox_folders where mailbox_id = ${mailboxId} and path = 'INBOX'`
      expect(inbox).toMatchObject({ uid_validity: 77n, last_uid: 3n })
    }, WAIT)
    await waitForReplies(3)
  })

  it('is received even after an email that cannot be processed', async () => {
    await app.owner.unsafe(`
      create function refuse() returns trigger language plpgsql as 'begin raise ''poison''; end';
      create trigger refuse before insert on email_messages for each row
        when (new.body like '%poisonous%') execute function refuse()`)
    const { reply, waitForReplies, waitForStatus, mailbox } = await makeSentCampaign(2)
    await reply(0, 'This one is poisonous.')
    await reply(1)
    await using _engine = openEngine(app, { sync: unpolled })
    await waitForReplies(1)
    await waitForStatus('syncing')
    expect((await mailbox()).skippedMails).toBe(1)
  })

  it('is received even after an email that the server never returns', async () => {
    const { reply, waitForReplies, mailbox, change } = await makeSentCampaign(2)
    await using server = await openTcpProxy(dovecot.port, {
      toServer: data => (data.includes('FETCH 1 ') ? undefined : data),
    })
    await reply(0)
    await reply(1)
    await change({ port: server.port })
    await using _engine = openEngine(app, { sync: polled })
    await waitForReplies(1)
    expect((await mailbox()).skippedMails).toBe(1)
  })

  it('is not skipped when many attempts fail because of the network', async () => {
    await using proxy = await FaultProxy.open(dovecot.port)
    const { reply, waitForReplies, waitForStatus, mailbox } = await makeSentCampaign(2, proxy.port)
    await reply(0)
    await reply(1)
    proxy.fault = { kind: 'cut_response', after: ' FETCH (' }
    await using _engine = openEngine(app, { sync: polled })
    await vi.waitFor(() => expect(proxy.cuts).toBeGreaterThan(14), WAIT)
    await waitForStatus('failing')
    proxy.fault = undefined
    await waitForReplies(2)
    expect((await mailbox()).skippedMails).toBeUndefined()
  })

  it('is fetched partially when the connection is too slow for the whole email', async () => {
    const { reply, waitForReplies, change } = await makeSentCampaign(1)
    await using server = await openTcpProxy(dovecot.port, {
      toServer: data => (/FETCH.*<0\.\d{8}>/.test(data.toString('latin1')) ? undefined : data),
    })
    await reply(0)
    await change({ port: server.port })
    await using _engine = openEngine(app, { sync: polled })
    await waitForReplies(1)
  })

  it('is retried until the database can store it', async () => {
    const { reply, waitForReplies, waitForStatus, mailbox } = await makeSentCampaign(1)
    await app.owner.unsafe(`
      create function fail() returns trigger language plpgsql as
        'begin raise exception using errcode = ''42703'', message = ''of another release''; end';
      create trigger fail before insert on email_messages for each row
        when (new.type = 'received') execute function fail()`)
    await reply(0)
    await using _engine = openEngine(app, { sync: polled })
    await vi.waitFor(async () => {
      const [folder] = await app.owner`select from mailbox_folders where trying_uid is not null`
      expect(folder).toBeDefined()
    }, WAIT)
    await waitForStatus('failing')
    expect((await mailbox()).syncStatusReason).toMatch(/could not be processed/)
    await sleep(3_000)
    await app.owner.unsafe('drop trigger fail on email_messages; drop function fail')
    await waitForReplies(1)
    expect((await mailbox()).skippedMails).toBeUndefined()
  })

  it('is received with the beginning of its text when it is too large', async () => {
    const { reply, waitForReplies, received } = await makeSentCampaign(1)
    await reply(0, `Yes, see the plan below.\r\n\r\n${'all work and no play\r\n'.repeat(550_000)}`)
    await using _engine = openEngine(app, { sync: unpolled })
    await waitForReplies(1)
    expect((await received())[0]?.body).toMatch(/^Yes, see the plan below/)
  })

  it('is received after a wrong password is corrected', async () => {
    const { reply, change, waitForReplies, waitForStatus, mailbox } = await makeSentCampaign(1)
    await using _engine = openEngine(app, { sync: unpolled })
    await waitForStatus('syncing')
    await change({ password: 'forgotten' })
    await waitForStatus('failing')
    expect((await mailbox()).syncStatusReason).toMatch(/rejected the user name or password/)
    await reply(0)
    await change({ password: dovecotPassword })
    await waitForReplies(1)
    expect((await mailbox()).syncStatusReason).toBeUndefined()
  })

  it('is received after the network dropped everything for a while', async () => {
    await using proxy = await FaultProxy.open(dovecot.port)
    const { reply, waitForReplies, waitForStatus, waitForSync } = await makeSentCampaign(3, proxy.port)
    await using _engine = openEngine(app, { sync: polled })
    for (const [n, kind] of (['blackhole', 'half_open'] as const).entries()) {
      await waitForSync()
      proxy.fault = { kind }
      await reply(n)
      await waitForStatus('failing')
      proxy.fault = undefined
      await waitForReplies(n + 1)
    }
    proxy.resetAll()
    await reply(2)
    await waitForReplies(3)
    // The engine must shut down despite this error.
    proxy.fault = { kind: 'blackhole' }
  })

  it('is received by the engine that syncs the mailbox, or by another engine after the first is killed', async () => {
    await using proxy = await FaultProxy.open(dovecot.port)
    const { reply, waitForReplies, waitForStatus } = await makeSentCampaign(2, proxy.port)
    const processes = await EngineProcesses.open(app, 1)
    await using _processes = processes
    await waitForStatus('syncing')
    await using _engine = openEngine(app, { sync: unpolled })
    await reply(0)
    await waitForReplies(1)
    expect(proxy.connections).toBe(1)
    processes.children[0]!.kill('SIGKILL')
    await reply(1)
    await waitForReplies(2)
    expect(proxy.connections).toBe(1)
  })

  it('is received in turn when there are more mailboxes than connections', async () => {
    const mailboxes = []
    for (let n = 0; n < 4; n += 1) mailboxes.push(await makeSentCampaign(1))
    await using _engine = openEngine(app, { sync: { ...polled, maxConnections: 1 } })
    for (const { reply } of mailboxes) await reply(0)
    for (const { waitForReplies } of mailboxes) await waitForReplies(1)
  })
})
