import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { RawInput } from '../../src/contract/index.ts'
import { SmtpPools } from '../../src/server/engine/send/smtp-pools.ts'
import { openTestApp, type TestApp } from '../support/app.ts'
import { tick } from '../support/campaigns/tick.ts'
import { makeMailCampaign, openWorker, type Worker } from '../support/mail/mail-campaign.ts'
import { ScriptedSmtp } from '../support/mail/scripted-smtp.ts'
import { readMails } from '../support/mail/sent-mail.ts'

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
  server.script = () => undefined
})
afterAll(async () => {
  await worker[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

async function workAt(time: string): Promise<void> {
  app.setNow(time)
  await worker.work()
}

const days = ['mon', 'tue', 'wed', 'thu', 'fri'] as const
const office = { windows: [{ days: [...days], from: '09:00', to: '17:00' }], timezone: 'Europe/London' }

/** Launches a campaign with this schedule at this time. */
async function makeScheduled(
  time: string,
  schedule: RawInput<'updateCampaign'>['schedule'],
  people = 1,
  steps: RawInput<'setCampaignSteps'>['steps'] = [{ subject: 'Hello', body: 'Hi' }],
) {
  app.setNow(time)
  const campaign = await makeMailCampaign(app, [server], people, steps)
  const { owner, campaignId } = campaign
  await owner.call('updateCampaign', { campaignId, schedule })
  const ids = Object.fromEntries(
    (await campaign.prospects()).map(({ id, personId }) => [personId, id] as const),
  )
  const next = async (prospectId = Object.values(ids)[0]!) =>
    (await owner.call('getProspect', { prospectId })).next
  /** Returns recipients of this campaign's emails. */
  const sentTo = async () =>
    (await readMails(server)).flatMap(({ to }) => (campaign.emails.includes(to) ? to : [])).sort()
  return { ...campaign, ids, next, sentTo }
}

describe('a campaign with a schedule', () => {
  it('sends only within its windows and shows why each prospect waits', async () => {
    const campaign = await makeScheduled('2026-11-20T18:00:00.000Z', office, 3, [
      { subject: 'One', body: 'One' },
      { delay: { amount: 9, unit: 'hours' }, body: 'Two' },
    ])
    const held = { step: 1, dueAt: '2026-11-23T09:00:00.000Z', heldBy: 'window' }
    expect(await campaign.next(), 'before the first tick').toMatchObject(held)
    await worker.work()
    expect(await campaign.next()).toMatchObject(held)
    expect((await campaign.prospects())[0]).toMatchObject({ nextStepAt: held.dueAt })
    await workAt('2026-11-23T08:59:59.999Z')
    expect(await campaign.sentTo()).toEqual([])
    await workAt('2026-11-23T09:00:00.000Z')
    expect(await campaign.sentTo()).toHaveLength(3)
    // The delay ends at 18:00, after the window.
    expect(await campaign.next()).toMatchObject({
      step: 2,
      dueAt: '2026-11-24T09:00:00.000Z',
      heldBy: 'delay',
    })
    await workAt('2026-11-23T18:00:00.000Z')
    expect(await campaign.next()).toMatchObject({ dueAt: '2026-11-24T09:00:00.000Z', heldBy: 'window' })
    expect(await campaign.sentTo()).toHaveLength(3)
    await workAt('2026-11-24T09:00:00.000Z')
    expect(await campaign.sentTo()).toHaveLength(6)
    expect(await campaign.next()).toBeUndefined()
  })

  it("uses each person's time zone", async () => {
    const campaign = await makeScheduled('2026-11-23T00:30:00.000Z', null, 4)
    const { owner, campaignId, emails } = campaign
    const { data } = await owner.call('listPersons', { limit: 10 })
    const change = (n: number, fields: object) =>
      owner.call('updatePerson', { personId: data.find(({ email }) => email === emails[n])!.id, ...fields })
    await change(1, { phone: '+12125550123' })
    await change(2, { timezone: 'Asia/Tokyo' })
    await change(3, { timezone: 'Asia/Tokyo', phone: '+12125550123' })
    await owner.call('updateCampaign', { campaignId, schedule: office })
    await worker.work()
    expect(await campaign.sentTo()).toEqual([emails[2], emails[3]])
    await workAt('2026-11-23T09:00:00.000Z')
    expect(await campaign.sentTo()).toEqual([emails[0], emails[2], emails[3]])
    await workAt('2026-11-23T14:00:00.000Z')
    expect(await campaign.sentTo()).toEqual(emails)
  })

  it('reschedules all prospects with a closed window in one tick', async () => {
    const campaign = await makeScheduled('2026-11-20T12:00:00.000Z', office, 150)
    const { owner, emails } = campaign
    const { data } = await owner.call('listPersons', { email: emails[7]! })
    await owner.call('updatePerson', { personId: data[0]!.id, timezone: 'America/New_York' })
    app.setNow('2026-11-20T18:00:00.000Z')
    await using pools = new SmtpPools()
    // Plans at most 50 prospects of a mailbox, and sends nothing.
    await tick(app, pools, 0)
    const steps = (await campaign.prospects()).map(({ nextStepAt }) => nextStepAt)
    expect(steps.filter(at => at === '2026-11-23T09:00:00.000Z')).toHaveLength(149)
    await worker.work()
    expect(await campaign.sentTo()).toEqual([emails[7]])
  })

  it('skips holidays in windows and business days', async () => {
    const schedule = { ...office, holidays: ['2026-12-25', '2026-12-28'] }
    const campaign = await makeScheduled('2026-12-23T10:00:00.000Z', schedule, 1, [
      { subject: 'One', body: 'One' },
      { delay: { amount: 2, unit: 'business_days' }, body: 'Two' },
    ])
    await worker.work()
    await workAt('2026-12-29T09:59:00.000Z')
    expect(await campaign.sentTo()).toHaveLength(1)
    await workAt('2026-12-29T10:00:00.000Z')
    expect(await campaign.sentTo()).toHaveLength(2)
  })

  it('applies a changed schedule immediately, whether it sends earlier or later', async () => {
    const campaign = await makeScheduled('2026-11-20T18:00:00.000Z', office)
    const { owner, campaignId, next } = campaign
    await worker.work()
    const saturdays = { ...office, windows: [{ days: ['sat' as const], from: '10:00', to: '24:00' }] }
    await owner.call('updateCampaign', { campaignId, schedule: saturdays })
    expect(await next()).toMatchObject({ dueAt: '2026-11-21T10:00:00.000Z', heldBy: 'window' })
    await owner.call('updateCampaign', { campaignId, schedule: { ...saturdays, earliest: '2026-12-01' } })
    await workAt('2026-11-21T10:00:00.000Z')
    expect(await next()).toMatchObject({ dueAt: '2026-12-05T10:00:00.000Z', heldBy: 'window' })
    const { schedule } = await owner.call('updateCampaign', { campaignId, schedule: null })
    expect(schedule).toBeUndefined()
    await worker.work()
    expect(await campaign.sentTo()).toHaveLength(1)
  })

  it.each(['edited', 'imported', 'added to another campaign', 'merged'])(
    "uses a person's time zone at once when it becomes known because the person is %s",
    async how => {
      const campaign = await makeScheduled('2026-12-04T02:00:00.000Z', {
        ...{ ...office, timezone: 'America/Los_Angeles', latest: '2026-12-04' },
      })
      const { owner, emails, next } = campaign
      const [prospect] = await campaign.prospects()
      const { personId } = prospect!
      await worker.work()
      expect(await next()).toMatchObject({ dueAt: '2026-12-04T17:00:00.000Z', heldBy: 'window' })
      const email = emails[0]!
      const timezone = 'Europe/Berlin'
      if (how === 'edited') await owner.call('updatePerson', { personId, timezone })
      else if (how === 'imported')
        await owner.call('importPersons', { csv: `Email,Timezone\n${email},${timezone}\n` })
      else if (how === 'merged') {
        const { id } = await owner.call('createPerson', { email: `other-${email}`, timezone })
        await owner.call('mergePersons', { personId, duplicateIds: [id] })
      } else {
        const { id: campaignId } = await owner.call('createCampaign', { name: 'Summer' })
        await owner.call('addProspectsToCampaign', { campaignId, data: [{ email, phone: '+493012345678' }] })
      }
      expect(await next()).toMatchObject({ dueAt: '2026-12-04T08:00:00.000Z', heldBy: 'window' })
      await workAt('2026-12-04T08:00:00.000Z')
      expect(await campaign.sentTo()).toEqual(emails)
    },
  )

  it("uses the account's new time zone at once if the schedule has none of its own", async () => {
    const campaign = await makeScheduled('2026-12-04T02:00:00.000Z', null)
    const { owner, campaignId, next } = campaign
    await owner.call('updateAccount', { timezone: 'America/Los_Angeles' })
    const schedule = { windows: office.windows, latest: '2026-12-04' }
    await owner.call('updateCampaign', { campaignId, schedule })
    await worker.work()
    expect(await next()).toMatchObject({ dueAt: '2026-12-04T17:00:00.000Z', heldBy: 'window' })
    await owner.call('updateAccount', { timezone: 'Europe/Berlin' })
    expect(await next()).toMatchObject({ dueAt: '2026-12-04T08:00:00.000Z', heldBy: 'window' })
    await workAt('2026-12-04T08:00:00.000Z')
    expect(await campaign.sentTo()).toHaveLength(1)
  })

  it('reports that its last date has passed, and continues with a later one', async () => {
    const campaign = await makeScheduled('2026-11-20T18:00:00.000Z', {
      ...office,
      latest: '2026-11-20',
    })
    const { owner, campaignId, next } = campaign
    await worker.work()
    const held = await next()
    expect(held).toMatchObject({ step: 1, heldBy: 'schedule_over' })
    expect(held).not.toHaveProperty('dueAt')
    expect((await owner.call('getCampaign', { campaignId })).health).toMatch(/schedule has ended/)
    await owner.call('updateCampaign', { campaignId, schedule: { ...office, latest: '2026-11-23' } })
    await workAt('2026-11-23T16:59:00.000Z')
    expect(await campaign.sentTo()).toHaveLength(1)
  })

  it('sends nothing after the end of a window that was open when the email was composed', async () => {
    const campaign = await makeScheduled('2026-11-23T16:59:00.000Z', office)
    server.script = step => {
      if (step === 'RCPT') app.setNow('2026-11-23T17:00:00.000Z')
      return undefined
    }
    await worker.work()
    server.script = () => undefined
    await workAt('2026-11-23T17:30:00.000Z')
    expect(await campaign.next()).toMatchObject({ dueAt: '2026-11-24T09:00:00.000Z', heldBy: 'window' })
    expect(await campaign.sentTo()).toEqual([])
    await workAt('2026-11-24T09:00:00.000Z')
    expect(await campaign.sentTo()).toHaveLength(1)
  })

  it('is rejected with an unknown time zone', async () => {
    const { owner, campaignId } = await makeScheduled('2026-11-23T10:00:00.000Z', office)
    const schedule = { ...office, timezone: 'Europe/Atlantis' }
    await expect(owner.call('updateCampaign', { campaignId, schedule })).rejects.toMatchObject({
      code: 'ValidationError',
    })
  })
})

describe('the next step of a prospect', () => {
  it('shows a pause, a failing mailbox, a retry and an email in transit as the reason for waiting', async () => {
    const { owner, campaignId, ids, next, mailboxIds } = await makeScheduled(
      '2026-11-23T10:00:00.000Z',
      office,
    )
    expect(await next()).toEqual({ step: 1, stepId: expect.anything(), dueAt: '2026-11-23T10:00:00.000Z' })
    await owner.call('pauseCampaign', { campaignId })
    expect(await next()).toMatchObject({ heldBy: 'campaign_paused' })
    const prospectId = Object.values(ids)[0]!
    await owner.call('pauseProspect', { prospectId })
    expect(await next()).toMatchObject({ heldBy: 'prospect_paused' })
    await owner.call('resumeProspect', { prospectId })
    await owner.call('resumeCampaign', { campaignId })
    await app.owner`update mailboxes set status = 'failing', retry_at = 'infinity' where id = ${mailboxIds[0]!}`
    await worker.work()
    expect(await next()).toMatchObject({ heldBy: 'no_working_mailbox' })
    await app.owner`update mailboxes set status = 'active', retry_at = null where id = ${mailboxIds[0]!}`
    expect(await next()).toMatchObject({ heldBy: 'retry', dueAt: '2026-11-23T10:01:00.000Z' })
    server.script = step => (step === 'RCPT' ? '451 4.3.0 later' : undefined)
    await workAt('2026-11-23T10:01:00.000Z')
    expect(await next()).toMatchObject({ step: 1, heldBy: 'being_sent' })
  })
})

const MINUTE_MS = 60_000

/** Advances the clock in steps until `end`. Returns the number of sent emails of the campaign after each step. */
async function runUntil(end: string, stepMs: number, campaign: { sentTo: () => Promise<string[]> }) {
  const counts: [string, number][] = []
  for (let at = app.now().getTime(); at <= Date.parse(end); at += stepMs) {
    await workAt(new Date(at).toISOString())
    counts.push([app.now().toISOString(), (await campaign.sentTo()).length])
  }
  return counts
}

describe('a mailbox with sending limits', () => {
  it('sends no more than its cap in any 24 hours and shows which prospects wait for it', async () => {
    const campaign = await makeScheduled('2026-11-23T10:00:00.000Z', null, 5)
    const { owner, mailboxIds } = campaign
    await owner.call('updateMailbox', { mailboxId: mailboxIds[0]!, dailyCap: 2 })
    await worker.work()
    expect(await campaign.sentTo()).toHaveLength(2)
    const waiting = Object.values(campaign.ids)
    const steps = (await Promise.all(waiting.map(id => campaign.next(id)))).filter(next => next)
    expect(steps).toMatchObject(
      Array(3).fill({ step: 1, dueAt: '2026-11-24T10:00:00.000Z', heldBy: 'daily_cap' }),
    )
    await workAt('2026-11-24T09:59:59.999Z')
    expect(await campaign.sentTo()).toHaveLength(2)
    await workAt('2026-11-24T10:00:00.000Z')
    expect(await campaign.sentTo()).toHaveLength(4)
    await owner.call('updateMailbox', { mailboxId: mailboxIds[0]!, dailyCap: null })
    await worker.work()
    expect(await campaign.sentTo()).toHaveLength(5)
  })

  it('leaves the minimum gap plus a random time between two emails', async () => {
    const campaign = await makeScheduled('2026-11-23T10:00:00.000Z', null, 4)
    const { owner, mailboxIds, ids, next } = campaign
    const mailbox = await owner.call('updateMailbox', { mailboxId: mailboxIds[0]!, minGapSeconds: 600 })
    expect(mailbox.minGapSeconds).toBe(600)
    await worker.work()
    const steps = (await Promise.all(Object.values(ids).map(id => next(id)))).filter(one => one)
    expect(steps.map(one => one?.heldBy)).toEqual(['gap', 'gap', 'gap'])
    const counts = await runUntil('2026-11-23T11:00:00.000Z', MINUTE_MS, campaign)
    const first = [1, 2, 3, 4].map(n => Date.parse(counts.find(([, count]) => count >= n)![0]))
    const gaps = first.slice(1).map((time, n) => (time - first[n]!) / MINUTE_MS)
    for (const gap of gaps) {
      expect(gap).toBeGreaterThanOrEqual(10)
      expect(gap).toBeLessThanOrEqual(16)
    }
  })

  it('leaves the gap between retries that are due at the same time, but not before manual emails', async () => {
    const campaign = await makeScheduled('2026-11-23T10:00:00.000Z', null, 4)
    const { owner, mailboxIds, sentTo } = campaign
    await owner.call('updateMailbox', { mailboxId: mailboxIds[0]!, minGapSeconds: 600 })
    server.script = step => (step === 'RCPT' ? '451 4.3.0 later' : undefined)
    await runUntil('2026-11-23T18:00:00.000Z', 10 * MINUTE_MS, campaign)
    const waiting = (await campaign.messages()).filter(({ deliveryStatus }) => deliveryStatus === 'queued')
    expect(waiting).toHaveLength(4)
    server.script = () => undefined
    // No engine has run in between.
    await workAt('2026-11-24T08:00:00.000Z')
    expect(await sentTo()).toHaveLength(1)
    const sent = (await campaign.messages()).find(({ status }) => status === 'sent')!
    const { data } = await owner.call('listProspects', { campaignId: campaign.campaignId, limit: 10 })
    const { messageId } = await owner.call('createEmailDraft', {
      prospectId: data.find(({ status }) => status === 'completed')!.id,
      emailMessageIdToReplyTo: sent.id,
      body: 'By hand',
    })
    await owner.call('sendEmailDraft', { emailMessageId: messageId })
    await workAt('2026-11-24T08:01:00.000Z')
    expect(await sentTo(), 'the manual email').toHaveLength(2)
    const counts = await runUntil('2026-11-24T09:00:00.000Z', MINUTE_MS, campaign)
    const left = [3, 4, 5].map(n => Date.parse(counts.find(([, count]) => count >= n)![0]))
    const gaps = left.map(
      (time, n) => (time - (left[n - 1] ?? Date.parse('2026-11-24T08:00:00.000Z'))) / MINUTE_MS,
    )
    for (const gap of gaps) {
      expect(gap).toBeGreaterThanOrEqual(10)
      expect(gap).toBeLessThanOrEqual(16)
    }
  })

  it('sends few emails a day during warm-up', async () => {
    const campaign = await makeScheduled('2026-11-23T10:00:00.000Z', null, 20)
    const { owner, mailboxIds } = campaign
    const [mailboxId] = mailboxIds as [string]
    await expect(
      owner.call('updateMailbox', { mailboxId, rampUp: { start: 2, increase: 3 } }),
    ).rejects.toMatchObject({ code: 'ValidationError' })
    await owner.call('updateMailbox', { mailboxId, dailyCap: 7, rampUp: { start: 2, increase: 3 } })
    const counts = await runUntil('2026-11-26T16:00:00.000Z', 6 * 3_600_000, campaign)
    const at = (time: string) => counts.find(([when]) => when === time)![1]
    expect(at('2026-11-24T04:00:00.000Z')).toBe(2)
    expect(at('2026-11-24T16:00:00.000Z')).toBe(2 + 5)
    expect(at('2026-11-25T16:00:00.000Z')).toBe(2 + 5 + 7)
    expect(at('2026-11-26T16:00:00.000Z')).toBe(20)
  })

  it('counts emails that its server refused', async () => {
    const campaign = await makeScheduled('2026-11-23T10:00:00.000Z', null, 3)
    await campaign.owner.call('updateMailbox', { mailboxId: campaign.mailboxIds[0]!, dailyCap: 2 })
    server.script = step => (step === 'DOT' ? '451 4.3.0 later' : undefined)
    await worker.work()
    server.script = () => undefined
    const sent = async () => (await campaign.messages()).filter(({ status }) => status === 'sent').length
    await runUntil('2026-11-24T09:00:00.000Z', 3_600_000, campaign)
    expect(await sent()).toBe(0)
    await runUntil('2026-11-24T11:00:00.000Z', 30 * MINUTE_MS, campaign)
    expect(await sent()).toBe(2)
  })
})

describe('a campaign', () => {
  it('starts at most the configured number of new prospects per day, without delaying follow-ups', async () => {
    const campaign = await makeScheduled(
      '2026-11-23T22:30:00.000Z',
      { ...office, windows: [{ days: [...days, 'sat', 'sun'], from: '00:00', to: '24:00' }] },
      5,
      [
        { subject: 'One', body: 'One' },
        { delay: { amount: 1, unit: 'hours' }, body: 'Two' },
      ],
    )
    const { owner, campaignId, ids, next } = campaign
    await owner.call('updateCampaign', { campaignId, newProspectsPerDay: 2 })
    await worker.work()
    expect(await campaign.sentTo()).toHaveLength(2)
    const steps = await Promise.all(Object.values(ids).map(id => next(id)))
    expect(steps.filter(one => one?.heldBy === 'new_prospects_cap')).toMatchObject(
      Array(3).fill({ step: 1, dueAt: '2026-11-24T00:00:00.000Z' }),
    )
    await workAt('2026-11-23T23:30:00.000Z')
    expect(await campaign.sentTo(), 'follow-ups').toHaveLength(4)
    await workAt('2026-11-24T00:00:00.000Z')
    expect(await campaign.sentTo()).toHaveLength(6)
    await owner.call('updateCampaign', { campaignId, newProspectsPerDay: null })
    await worker.work()
    expect(await campaign.sentTo()).toHaveLength(7)
  })

  it("starts new prospects when the account's new time zone begins another day", async () => {
    const campaign = await makeScheduled('2026-12-03T18:30:00.000Z', null, 2)
    const { owner, campaignId } = campaign
    await owner.call('updateAccount', { timezone: 'America/Los_Angeles' })
    await owner.call('updateCampaign', { campaignId, newProspectsPerDay: 1 })
    await worker.work()
    await worker.work()
    expect(await campaign.sentTo()).toHaveLength(1)
    await owner.call('updateAccount', { timezone: 'Asia/Tokyo' })
    await worker.work()
    expect(await campaign.sentTo()).toHaveLength(2)
  })

  it('alternates between mailboxes with quota left and keeps the mailbox of each prospect', async () => {
    app.setNow('2026-11-23T10:00:00.000Z')
    const other = await ScriptedSmtp.open()
    try {
      const campaign = await makeMailCampaign(app, [server, other], 40, [
        { subject: 'One', body: 'One' },
        { delay: { amount: 1, unit: 'days' }, body: 'Two' },
      ])
      const through = async (peer: ScriptedSmtp) =>
        (await readMails(peer)).flatMap(({ to }) => (campaign.emails.includes(to) ? to : []))
      const counts = async () => [(await through(server)).length, (await through(other)).length]
      await campaign.owner.call('updateMailbox', { mailboxId: campaign.mailboxIds[0]!, dailyCap: 5 })
      await worker.work()
      expect(await counts()).toEqual([5, 35])
      const first = await through(server)
      await workAt('2026-11-24T10:00:00.000Z')
      await workAt('2026-11-24T10:00:00.001Z')
      expect(await counts()).toEqual([10, 70])
      expect((await through(server)).slice(5).sort()).toEqual(first.sort())
    } finally {
      await other[Symbol.asyncDispose]()
    }
  })

  it('waits at most one tick while a thousand prospects of other campaigns are due', async () => {
    app.setNow('2026-11-23T10:00:00.000Z')
    const [busyServer, freeServer] = [await ScriptedSmtp.open(), await ScriptedSmtp.open()]
    const pools = new SmtpPools()
    try {
      const huge = []
      for (let n = 0; n < 5; n++) huge.push(await makeMailCampaign(app, [busyServer], 200))
      const small = await makeMailCampaign(app, [freeServer], 3)
      const begun = await tick(app, pools)
      await Promise.all(begun.map(({ done }) => done))
      const again = await tick(app, pools)
      await Promise.all(again.map(({ done }) => done))
      const reached = (await readMails(freeServer)).map(({ to }) => to).sort()
      expect(reached).toEqual(small.emails)
      expect((await readMails(busyServer)).length).toBeLessThan(1_000)
      for (const { owner, campaignId } of huge) await owner.call('pauseCampaign', { campaignId })
    } finally {
      await pools[Symbol.asyncDispose]()
      for (const peer of [busyServer, freeServer]) await peer[Symbol.asyncDispose]()
    }
  })
})
