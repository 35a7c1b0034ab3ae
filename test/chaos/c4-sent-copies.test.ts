import { ImapFlow } from 'imapflow'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { openEngine } from '../../src/server/engine/loop.ts'
import { openTestApp, type TestApp } from '../support/app.ts'
import { Dovecot, dovecotPassword, hasDovecot } from '../support/dovecot.ts'
import { aMailCampaign } from '../support/mail-campaign.ts'
import { randomFrom } from '../support/random.ts'
import { check, report } from './check.ts'
import { Journal } from './journal.ts'
import { openMailPeer } from './mail-peer.ts'
import { openClock, settle } from './settled.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
})
afterAll(() => app[Symbol.asyncDispose]())

it.runIf(hasDovecot())(
  'C4: a mail whose answer is lost counts as sent once its copy shows in the sent folder, and only then',
  async () => {
    const mails = 200
    const random = randomFrom('C4_COPIES_SEED')
    using journal = new Journal()
    await using dovecot = await Dovecot.open()
    const user = 'sender@acme.example'
    const box = new ImapFlow({
      host: '127.0.0.1',
      port: dovecot.port,
      secure: false,
      auth: { user, pass: dovecotPassword },
      logger: false,
    })
    await box.connect()
    const copies: Promise<unknown>[] = []
    await using peer = await openMailPeer(journal, (step, _line, transfer) => {
      if (step !== 'DOT') return undefined
      const isAccepted = random() < 0.5
      // The provider keeps a copy of what it takes.
      if (isAccepted) copies.push(box.append('Sent Items', transfer!.wire.subarray(0, -5)))
      return { isAccepted, reaction: 'cut' }
    })
    const campaign = await aMailCampaign(app, [peer], mails)
    const { accountId } = campaign.owner
    const clock = openClock()
    await using _engine = openEngine({ ...app, now: clock.now }, { reading: { pollMs: 200 } })
    await settle(app, [accountId], clock)
    await Promise.all(copies)
    await box.logout()
    const before = await check(app.owner, journal, accountId)
    expect(before).toMatchObject({ sent: 0, unknown: mails, doubled: 0, lost: 0 })
    const imap = {
      host: '127.0.0.1',
      port: dovecot.port,
      tls: 'none' as const,
      user,
      password: dovecotPassword,
    }
    const mailboxId = campaign.mailboxIds[0]!
    await campaign.owner.call('updateMailbox', { mailboxId, imap })
    await vi.waitFor(
      async () => expect((await campaign.owner.call('getMailbox', { mailboxId })).lastReadAt).toBeDefined(),
      { timeout: 60_000, interval: 100 },
    )
    const figures = await check(app.owner, journal, accountId)
    report('C4 copies', { mails, copies: copies.length, ...figures })
    expect(figures).toMatchObject({
      sent: copies.length,
      unknown: mails - copies.length,
      unknownDelivered: 0,
    })
    expect(figures).toMatchObject({ lost: 0, doubled: 0, silent: 0 })
  },
  300_000,
)
