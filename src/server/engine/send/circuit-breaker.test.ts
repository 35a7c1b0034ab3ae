import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../../../../test/support/app.ts'
import {
  type MailCampaign,
  makeMailCampaign,
  openWorker,
  type Worker,
} from '../../../../test/support/mail/mail-campaign.ts'
import { getOAuthSettings } from '../../../../test/support/mail/oauth-mail.ts'
import { OAuthServer } from '../../../../test/support/mail/oauth-server.ts'
import { type Reaction, ScriptedSmtp, type Step } from '../../../../test/support/mail/scripted-smtp.ts'
import { setFailpoints } from '../../kernel/failpoints.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

let app: TestApp
let worker: Worker
let oauth: OAuthServer
beforeAll(async () => {
  oauth = await OAuthServer.open('google')
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1', ...getOAuthSettings(oauth) })
  app.setNow('2026-11-20T09:00:00Z')
  worker = openWorker(app)
})
afterEach(() => setFailpoints(undefined))
afterAll(async () => {
  await worker[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
  await oauth[Symbol.asyncDispose]()
})

const react = (server: ScriptedSmtp, step?: Step, reaction?: Reaction) => {
  server.script = at => (at === step ? reaction : undefined)
}
const countDelivered = (...servers: ScriptedSmtp[]): number =>
  servers.flatMap(({ transfers }) => transfers).filter(({ isComplete }) => isComplete).length
const listMailboxes = async ({ owner, mailboxIds }: MailCampaign) =>
  Promise.all(mailboxIds.map(mailboxId => owner.call('getMailbox', { mailboxId })))

describe('an unavailable server', () => {
  it.each([
    ['refuses connections', 'CONNECT', 'cut'],
    ['greets with 421', 'CONNECT', '421 4.3.2 too busy'],
    ['shuts down', 'MAIL', '421 4.3.2 shutting down'],
  ] as const)(
    'delays its emails when it %s, and gets all of them once it is available again',
    async (_what, step, reaction) => {
      await using server = await ScriptedSmtp.open()
      const campaign = await makeMailCampaign(app, [server], 6)
      react(server, step, reaction)
      await worker.workAfter(0)
      const [mailbox] = await listMailboxes(campaign)
      expect(mailbox).toMatchObject({
        status: 'active',
        health: { failures: 1, reason: expect.stringMatching(/\S/) },
      })
      expect(mailbox!.health!.retryAt! > app.now().toISOString()).toBe(true)
      const messages = await campaign.messages()
      expect(messages.map(message => message.deliveryStatus)).toEqual(Array(6).fill('queued'))
      react(server)
      await worker.workAfter(5 * MINUTE)
      expect(countDelivered(server)).toBe(6)
      expect((await listMailboxes(campaign))[0]!.health).toBeUndefined()
    },
  )

  it('gets all emails once it is available again, even from workers that still consider it unavailable', async () => {
    await using server = await ScriptedSmtp.open()
    const campaign = await makeMailCampaign(app, [server], 6)
    react(server, 'CONNECT', '421 4.3.2 too busy')
    await worker.workAfter(0)
    react(server)
    let read = 0
    setFailpoints((name, key) => {
      if (name !== 'send.read' || key !== campaign.mailboxIds[0]) return undefined
      read += 1
      return read > 1 ? { do: 'pause', ms: 500 } : undefined
    })
    await worker.workAfter(5 * MINUTE)
    expect(countDelivered(server)).toBe(6)
  })

  it('gets an email later if it shuts down while the email waits at the gate', async () => {
    await using server = await ScriptedSmtp.open()
    const campaign = await makeMailCampaign(app, [server], 1)
    const [mailboxId] = campaign.mailboxIds
    setFailpoints((name, key) => {
      if (name !== 'gate.committed' || key !== mailboxId) return undefined
      server.answer('421 4.3.2 shutting down')
      // Lets the client read the reply.
      return { do: 'pause', ms: 200 }
    })
    await worker.workAfter(0)
    setFailpoints(undefined)
    expect(server.transfers.map(({ isComplete }) => isComplete)).toEqual([false])
    expect((await listMailboxes(campaign))[0]!.health).toMatchObject({ failures: 1 })
    expect((await campaign.messages())[0]).toMatchObject({
      deliveryStatus: 'queued',
      deliveryReason: expect.stringContaining('shutting down'),
    })
    await worker.workAfter(5 * MINUTE)
    expect((await campaign.messages())[0]).toMatchObject({ status: 'sent' })
    expect(countDelivered(server)).toBe(1)
  })

  it('is probed by one email at a time with increasing delays, and no email loses an attempt', async () => {
    await using server = await ScriptedSmtp.open()
    const campaign = await makeMailCampaign(app, [server, server], 8)
    react(server, 'CONNECT', 'cut')
    await worker.workAfter(0)
    let before = server.connections
    for (const waitMs of [MINUTE, 2 * MINUTE, 4 * MINUTE, 8 * MINUTE]) {
      await worker.workAfter(0.7 * waitMs * 0.5)
      expect(server.connections).toBe(before)
      await worker.workAfter(waitMs)
      expect(server.connections).toBe(before + 1)
      before = server.connections
    }
    const rows = await app.owner`
      select max(attempts) as most from email_sends where account_id = ${campaign.owner.accountId}`
    expect(rows[0]!.most).toBe(0)
    react(server)
    await worker.workAfter(HOUR)
    expect(countDelivered(server)).toBe(8)
  })

  it("does not stop the campaign's other mailbox, which takes over all prospects", async () => {
    await using down = await ScriptedSmtp.open()
    await using healthy = await ScriptedSmtp.open()
    const campaign = await makeMailCampaign(app, [down, healthy], 20)
    react(down, 'CONNECT', 'reset')
    await worker.workAfter(0)
    expect(countDelivered(healthy)).toBeGreaterThan(0)
    for (let minutes = 0; minutes < 180; minutes += 10) await worker.workAfter(10 * MINUTE)
    expect([countDelivered(down), countDelivered(healthy)]).toEqual([0, 20])
    expect((await listMailboxes(campaign))[0]).toMatchObject({ status: 'failing' })
    react(down)
    await worker.workAfter(HOUR)
    expect((await listMailboxes(campaign))[0]).toMatchObject({ status: 'active' })
  })
})

describe.each(['a password', 'OAuth'])('at a server where two mailboxes sign in with %s', credential => {
  /** Creates a campaign whose first mailbox gets this reply when it signs in. */
  async function refuseFirst(server: ScriptedSmtp, reply: string) {
    const shared = { port: server.port, ...(credential === 'OAuth' && { oauth }) }
    const campaign = await makeMailCampaign(app, [shared, shared], 20)
    const mailboxes = await listMailboxes(campaign)
    if (credential !== 'OAuth')
      for (const { id: mailboxId, email } of mailboxes) {
        await campaign.owner.call('updateMailbox', { mailboxId, smtp: { user: email, password: 'engine' } })
        await campaign.owner.call('verifyMailbox', { mailboxId })
      }
    const isFirst = (line: string) => {
      const credentials = line.split(' ').at(-1)!
      return Buffer.from(credentials, 'base64').toString().includes(mailboxes[0]!.email)
    }
    server.script = (step, line) => (step === 'AUTH' && isFirst(line) ? reply : undefined)
    return campaign
  }

  it.each([
    ['deferred', '454 4.7.0 Too many login attempts, please try again later', 'active'],
    ['refused', '535 5.7.8 Username and Password not accepted', 'failing'],
  ])('a sign-in that is %s stops only its mailbox', async (_what, reply, status) => {
    await using server = await ScriptedSmtp.open()
    const campaign = await refuseFirst(server, reply)
    await worker.workAfter(0)
    const [first, second] = await listMailboxes(campaign)
    expect(first).toMatchObject({ status, health: { failures: 1 } })
    expect(second).toMatchObject({ status: 'active' })
    expect(second!.health).toBeUndefined()
    expect(countDelivered(server)).toBeGreaterThan(0)
    react(server)
    for (let hours = 0; hours < 3; hours += 1) await worker.workAfter(HOUR)
    expect(countDelivered(server)).toBe(20)
  })

  it('a shutdown during a sign-in stops both mailboxes', async () => {
    await using server = await ScriptedSmtp.open()
    const campaign = await refuseFirst(server, '421 4.3.2 shutting down')
    server.script = step => (step === 'AUTH' ? '421 4.3.2 shutting down' : undefined)
    await worker.workAfter(0)
    expect((await listMailboxes(campaign)).map(({ health }) => health?.failures)).toEqual([1, 1])
    react(server)
    await worker.workAfter(5 * MINUTE)
    expect(countDelivered(server)).toBe(20)
  })
})

describe('a rejected mailbox', () => {
  it('is failing while its sign-in is rejected, and works again once its password is correct', async () => {
    await using server = await ScriptedSmtp.open()
    const campaign = await makeMailCampaign(app, [server], 3)
    const [mailboxId] = campaign.mailboxIds
    await campaign.owner.call('updateMailbox', {
      mailboxId: mailboxId!,
      smtp: { user: 'ada', password: 'engine' },
    })
    await campaign.owner.call('verifyMailbox', { mailboxId: mailboxId! })
    react(server, 'AUTH', '535 5.7.8 bad password')
    await worker.workAfter(0)
    expect((await listMailboxes(campaign))[0]).toMatchObject({
      status: 'failing',
      health: { failures: 1, reason: expect.stringContaining('rejected the user name or password') },
    })
    const connectionsBefore = server.connections
    await worker.workAfter(5 * MINUTE)
    expect(server.connections).toBe(connectionsBefore)
    await worker.workAfter(20 * MINUTE)
    expect(server.connections).toBe(connectionsBefore + 1)
    expect((await listMailboxes(campaign))[0]).toMatchObject({ status: 'failing', health: { failures: 2 } })
    react(server)
    await worker.workAfter(HOUR)
    await worker.workAfter(HOUR)
    expect(countDelivered(server)).toBe(3)
    expect((await listMailboxes(campaign))[0]!.health).toBeUndefined()
  })

  it.each([
    ['its domain is not trusted', 'DOT', '550 5.7.515 sending domain does not pass', /SPF, DKIM and DMARC/],
    ['its quota is used up', 'RCPT', '550 5.4.5 daily limit exceeded', /sending limit/],
    ['it sends too fast', 'RCPT', '421 4.7.28 unusual rate of mail', /is throttling/],
  ] as const)('reports that %s and probes with one email at a time', async (_what, step, reply, words) => {
    await using server = await ScriptedSmtp.open()
    const campaign = await makeMailCampaign(app, [server], 8)
    react(server, step, reply)
    await worker.workAfter(0)
    expect((await listMailboxes(campaign))[0]).toMatchObject({
      status: 'failing',
      statusReason: expect.stringMatching(words),
    })
    expect(
      (await campaign.prospects()).every(({ status }) => status === 'pending' || status === 'active'),
    ).toBe(true)
    const attempts = () => server.commands.filter(line => line.startsWith('MAIL')).length
    const first = attempts()
    await worker.workAfter(20 * MINUTE)
    await worker.workAfter(5 * MINUTE)
    expect(attempts()).toBe(first + 1)
    expect((await listMailboxes(campaign))[0]).toMatchObject({ status: 'failing', health: { failures: 2 } })
    react(server)
    for (let hours = 0; hours < 3; hours += 1) await worker.workAfter(HOUR)
    const statuses = (await campaign.messages()).map(({ status }) => status)
    expect(statuses).toEqual(Array(8).fill('sent'))
  })

  it.each([
    ['fails', '550 5.4.5'],
    ['waits for its server', '421 4.3.2'],
  ] as const)(
    '%s with a reason that names no recipient, because the reason is also stored with emails to others',
    async (_what, code) => {
      await using server = await ScriptedSmtp.open()
      const campaign = await makeMailCampaign(app, [server], 3)
      const quoted = (line: string) => /<(.+?)>/.exec(line)![1]!
      server.script = (step, line) =>
        step === 'RCPT' ? `${code} <${quoted(line).toUpperCase()}>: try tomorrow` : undefined
      await worker.workAfter(0)
      const { statusReason = '' } = (await listMailboxes(campaign))[0]!
      expect(statusReason).toContain('try tomorrow')
      const reasons = [statusReason, ...(await campaign.messages()).map(each => each.deliveryReason ?? '')]
      for (const email of campaign.emails)
        expect(reasons.filter(reason => reason.toLowerCase().includes(email))).toEqual([])
    },
  )

  it('sends other emails before it retries a rejected email', async () => {
    await using server = await ScriptedSmtp.open()
    const campaign = await makeMailCampaign(app, [server], 1)
    const { owner, campaignId, emails } = campaign
    server.script = (step, line) =>
      step === 'RCPT' && line.includes(`<${emails[0]!}>`) ? '554 5.7.1 Spam message rejected' : undefined
    await worker.workAfter(0)
    await worker.workAfter(20 * MINUTE)
    await worker.workAfter(5 * MINUTE)
    expect((await listMailboxes(campaign))[0]).toMatchObject({ status: 'failing', health: { failures: 2 } })
    await worker.workAfter(40 * MINUTE)
    await worker.workAfter(5 * MINUTE)
    expect((await listMailboxes(campaign))[0]).toMatchObject({ status: 'active', health: { failures: 2 } })
    const other = `other-${emails[0]}`
    await owner.call('importProspects', { campaignId, csv: `First Name,Email\nAnn,${other}` })
    await worker.workAfter(MINUTE)
    expect(countDelivered(server)).toBe(1)
    expect((await listMailboxes(campaign))[0]!.health).toBeUndefined()
    react(server)
    for (let hours = 0; hours < 3; hours += 1) await worker.workAfter(HOUR)
    expect(countDelivered(server)).toBe(2)
  })

  it('fails the step of a rejected email when other emails are delivered between its attempts', async () => {
    await using server = await ScriptedSmtp.open()
    const campaign = await makeMailCampaign(app, [server], 1)
    const { owner, campaignId, emails } = campaign
    const rejected = emails[0]!
    server.script = (step, line) =>
      step === 'RCPT' && line.includes(`<${rejected}>`) ? '554 5.7.1 Spam message rejected' : undefined
    await owner.call('updateCampaign', { campaignId, settings: { isEvergreen: true } })
    let added = 0
    for (; added < 12; added += 1) {
      await owner.call('importProspects', { campaignId, csv: `First Name,Email\nAnn,n${added}-${rejected}` })
      await worker.workAfter(HOUR)
    }
    expect(countDelivered(server)).toBe(added)
    const { data } = await owner.call('listProspects', { campaignId, status: ['failed'] })
    expect(data).toMatchObject([
      { person: { email: rejected }, statusReason: expect.stringContaining('5.7.1') },
    ])
    expect((await listMailboxes(campaign))[0]!.status).toBe('active')
  })
})
