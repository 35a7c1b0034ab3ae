import { randomUUIDv7 } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { recordOptOutRequest } from '../../src/server/domain/dnc/record-opt-out-request.ts'
import { receiveMail } from '../../src/server/engine/receive/receive-mail.ts'
import { inAccount } from '../../src/server/kernel/context.ts'
import { openTestApp, type TestApp } from '../support/app.ts'
import { makeBounce, makeComplaint, makeReply, rawMail } from '../support/mail/answers.ts'
import {
  type MailCampaign,
  makeMailCampaign,
  openWorker,
  type Worker,
} from '../support/mail/mail-campaign.ts'
import { ScriptedSmtp } from '../support/mail/scripted-smtp.ts'
import { readMails, type SentMail } from '../support/mail/sent-mail.ts'

let app: TestApp
let server: ScriptedSmtp
let worker: Worker
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
  server = await ScriptedSmtp.open()
  worker = openWorker(app)
})
afterEach(() => {
  server.transfers.length = 0
})
afterAll(async () => {
  await worker[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

const getStats = ({ owner, campaignId }: MailCampaign, days: { from?: string; to?: string } = {}) =>
  owner.call('getCampaignStats', { campaignId, ...days })

const receive = ({ owner, mailboxIds }: MailCampaign, raw: Buffer) =>
  receiveMail(app, {
    accountId: owner.accountId,
    mailboxId: mailboxIds[0]!,
    raw,
    receivedAt: app.now(),
    folder: 'inbox',
  })

/** Receives a reply or, with these header fields, an automatic reply to an email. */
const reply = (campaign: MailCampaign, mail: SentMail, fields = {}) =>
  receive(campaign, makeReply(mail, 'Thank you for your mail.', fields))

const none = {
  replied: 0,
  positive: 0,
  autoReplied: 0,
  bouncedHard: 0,
  bouncedSoft: 0,
  blocked: 0,
  refused: 0,
  optedOut: 0,
  complaints: 0,
  meetings: 0,
}

describe('campaign statistics', () => {
  it("report sent and received emails by step, variant and day in the account's time zone", async () => {
    app.setNow('2026-11-19T23:30:00.000Z') // the 20th in Berlin
    const campaign = await makeMailCampaign(app, [server], 6, [
      {
        variants: [
          { subject: 'A', body: 'a' },
          { subject: 'B', body: 'b' },
        ],
      },
      { delay: { amount: 2, unit: 'days' }, body: 'Again' },
    ])
    await campaign.owner.call('updateAccount', { timezone: 'Europe/Berlin' })
    await worker.work()
    const first = await readMails(server)
    app.setNow('2026-11-20T23:30:00.000Z')
    await reply(campaign, first[0]!)
    await reply(campaign, first[0]!)
    await reply(campaign, first[1]!, { 'Auto-Submitted': 'auto-replied' })
    const subjects = first.map(({ mail }) => mail.subject)
    const stats = await getStats(campaign, { from: '2026-11-19', to: '2026-11-21' })
    expect(stats).toMatchObject({ enrolled: 6, ...none, sent: 6, delivered: 6, replied: 1, autoReplied: 1 })
    expect(Object.values(stats.prospects).reduce((a, b) => a + b)).toBe(6)
    expect(stats.days).toEqual([
      { date: '2026-11-19', sent: 0, delivered: 0, ...none },
      { date: '2026-11-20', sent: 6, delivered: 6, ...none },
      { date: '2026-11-21', sent: 0, delivered: 0, ...none, replied: 1, autoReplied: 1 },
    ])
    const { steps } = await campaign.owner.call('getCampaign', { campaignId: campaign.campaignId })
    expect(stats.steps).toHaveLength(1)
    expect(stats.steps[0]).toMatchObject({ stepId: steps[0]!.id, position: 1, sent: 6, replied: 1 })
    for (const { id, subject } of steps[0]!.variants) {
      const counts = stats.steps[0]!.variants.find(({ variantId }) => variantId === id)
      expect(counts?.sent ?? 0).toBe(subjects.filter(each => each === subject).length)
      expect(counts?.replied ?? 0).toBe(subject === subjects[0] ? 1 : 0)
    }
  })

  it('match the messages of the campaign, in total and summed over steps and days', async () => {
    app.setNow('2026-11-23T09:00:00.000Z')
    const campaign = await makeMailCampaign(app, [server], 20, [
      { subject: 'One', body: '1' },
      { delay: { amount: 1, unit: 'days' }, body: '2' },
      { delay: { amount: 1, unit: 'days' }, body: '3' },
    ])
    const repliedEmails = new Set<string>()
    for (const day of [23, 24, 25]) {
      app.setNow(`2026-11-${day}T09:30:00.000Z`)
      await worker.work()
      for (const mail of (await readMails(server)).slice(-5)) {
        await reply(campaign, mail)
        repliedEmails.add(mail.to)
      }
    }
    const stats = await getStats(campaign)
    const messages = await campaign.messages()
    const sent = messages.filter(({ type, status }) => type === 'campaign' && status === 'sent')
    expect(stats.sent).toBe(sent.length)
    expect(stats.replied).toBe(repliedEmails.size)
    for (const name of ['sent', 'delivered', 'replied'] as const) {
      expect(stats.steps.map(step => step[name]).reduce((a, b) => a + b)).toBe(stats[name])
      expect(stats.days.map(day => day[name]).reduce((a, b) => a + b)).toBe(stats[name])
    }
  })

  it('count a prospect who replied both on LinkedIn and by email only once', async () => {
    // Later than the creation times of prospects, which come from the database's clock.
    app.setNow(new Date(Date.now() + 3_600_000))
    const campaign = await makeMailCampaign(app, [server], 4)
    await worker.work()
    const { owner, campaignId } = campaign
    const { data: people } = await owner.call('listCampaignProspects', { campaignId })
    const write = (at: number, type: 'received' | 'manual', text: string, happenedAt?: string) =>
      owner.call('recordLinkedinMessage', { prospectId: people[at]!.id, type, text, happenedAt })
    await write(0, 'received', 'On LinkedIn alone.')
    await write(0, 'received', 'And once more.')
    const { prospectId: both, recipients } = (await campaign.messages())[0]!
    const mail = (await readMails(server)).find(({ to }) => to === recipients.to[0]!.email)!
    await reply(campaign, mail)
    await write(
      people.findIndex(({ id }) => id === both),
      'received',
      'In both places.',
    )
    const others = people.flatMap(({ id }, at) => (at > 0 && id !== both ? [at] : []))
    await write(others[0]!, 'manual', 'We write, they do not.')
    await write(others[1] ?? others[0]!, 'received', 'Before the campaign.', '2020-01-01T00:00:00Z')
    const stats = await getStats(campaign)
    const { data: received } = await owner.call('listLinkedinMessages', {
      campaignId,
      type: 'received',
      limit: 100,
    })
    const during = received.filter(({ happenedAt }) => happenedAt! > '2021')
    expect(stats.replied).toBe(new Set([both, ...during.map(({ prospectId }) => prospectId)]).size)
    expect(stats.replied).toBe(both === people[0]!.id ? 1 : 2)
    expect(stats.days.map(({ replied }) => replied).reduce((a, b) => a + b)).toBe(stats.replied)
  })

  it('report bounces and opt-outs', async () => {
    app.setNow('2026-11-26T09:00:00.000Z')
    const campaign = await makeMailCampaign(app, [server], 6)
    await worker.work()
    const [dead, full, spam, angry, kind] = await readMails(server)
    await receive(campaign, makeBounce(full!, { status: '4.2.2', diagnostic: '452 4.2.2 mailbox full' }))
    for (const status of ['4.2.2', '5.1.1']) {
      await receive(campaign, makeBounce(dead!, { status, diagnostic: `550 ${status} user unknown` }))
    }
    await receive(
      campaign,
      makeBounce(spam!, { status: '5.7.1', diagnostic: '554 5.7.1 message rejected as spam' }),
    )
    await receive(campaign, makeComplaint(angry!))
    const { owner } = campaign
    await owner.call('updateAccount', { unsubscribeWords: 'opt_out' })
    await receive(campaign, makeReply(kind!, 'Please remove me from your list.'))
    expect(await getStats(campaign)).toMatchObject({
      sent: 6,
      delivered: 3,
      bouncedHard: 1,
      bouncedSoft: 1,
      blocked: 1,
      complaints: 1,
      optedOut: 2,
      replied: 1,
    })
  })

  it('do not count an unsubscribe email as a reply', async () => {
    app.setNow('2026-11-27T09:00:00.000Z')
    const campaign = await makeMailCampaign(app, [server], 1)
    await worker.work()
    const [sent] = await readMails(server)
    const header = sent!.mail.headers.find(({ key }) => key === 'list-unsubscribe')!.value
    const subject = decodeURIComponent(/subject=([^>]+)>/.exec(header)![1]!)
    await receive(
      campaign,
      rawMail({ From: sent!.to, 'Message-ID': '<u@there.example>', Subject: subject }, ''),
    )
    expect(await getStats(campaign)).toMatchObject({ ...none, sent: 1, optedOut: 1 })
  })

  it('count an opt-out by phone on the day of the call, even if the person writes later', async () => {
    app.setNow('2026-11-27T09:00:00.000Z')
    const campaign = await makeMailCampaign(app, [server], 1)
    await worker.work()
    const [sent] = await readMails(server)
    const { owner, campaignId } = campaign
    const { accountId } = owner
    const { personId } = (await owner.call('listCampaignProspects', { campaignId })).data[0]!
    const call = { personId: personId!, emails: [sent!.to], phone: '+442079460018', callId: randomUUIDv7() }
    await inAccount(app.db.work, accountId, sql =>
      recordOptOutRequest({ app, sql, accountId, actor: 'call' }, { source: 'call', ...call }),
    )
    await app.owner`
      update prospects set opted_out_at = '2026-10-05T09:00:00Z', updated_at = '2026-10-05T09:00:00Z'
       where account_id = ${accountId}`
    await receive(campaign, makeReply(sent!, 'Please unsubscribe me.'))
    const october = { from: '2026-10-01', to: '2026-10-31' }
    expect((await owner.call('getReport', { ...october, campaignId })).total).toMatchObject({ optedOut: 1 })
    const { days } = await getStats(campaign, { from: '2026-10-01', to: '2026-12-31' })
    expect(days.filter(({ optedOut }) => optedOut > 0)).toMatchObject([{ date: '2026-10-05' }])
  })

  it('count each bounced email by its worst report', async () => {
    app.setNow('2026-11-28T09:00:00.000Z')
    const campaign = await makeMailCampaign(app, [server], 1)
    await worker.work()
    const [sent] = await readMails(server)
    const report = (status: string) =>
      receive(campaign, makeBounce(sent!, { status, diagnostic: `550 ${status}` }))
    await report('4.2.2')
    expect(await campaign.messages()).toMatchObject([
      { status: 'sent', deliveryStatus: 'bounced', deliveryReason: expect.stringContaining('soft (4.2.2)') },
    ])
    expect(await getStats(campaign)).toMatchObject({ bouncedHard: 0, bouncedSoft: 1 })
    await report('5.1.1')
    await report('4.2.2')
    expect(await campaign.messages()).toMatchObject([
      { deliveryStatus: 'bounced', deliveryReason: expect.stringContaining('hard (5.1.1)') },
    ])
    expect(await getStats(campaign)).toMatchObject({ bouncedHard: 1, bouncedSoft: 0 })
  })

  it('cover at most one year', async () => {
    const campaign = await makeMailCampaign(app, [server], 1)
    await expect(getStats(campaign, { from: '2020-01-01', to: '2026-01-01' })).rejects.toMatchObject({
      code: 'ValidationError',
    })
    expect((await getStats(campaign, { from: '2999-01-01' })).days).toHaveLength(1)
  })
})
