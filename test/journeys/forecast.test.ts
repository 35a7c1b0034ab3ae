import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Output, RawInput } from '../../src/contract/index.ts'
import { openTestApp, type TestApp } from '../support/app.ts'
import {
  type MailCampaign,
  makeMailCampaignToLaunch,
  openWorker,
  type Worker,
} from '../support/mail/mail-campaign.ts'
import { ScriptedSmtp } from '../support/mail/scripted-smtp.ts'

let app: TestApp
let servers: ScriptedSmtp[]
let worker: Worker
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
  servers = [await ScriptedSmtp.open(), await ScriptedSmtp.open()]
  worker = openWorker(app)
})
afterAll(async () => {
  await worker[Symbol.asyncDispose]()
  for (const server of servers) await server[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const steps = [
  { subject: 'One', body: 'One' },
  { delay: { amount: 2, unit: 'business_days' as const }, body: 'Two' },
  { delay: { amount: 3, unit: 'days' as const }, body: 'Three' },
]
const office = {
  windows: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri'] as ('mon' | 'tue')[], from: '09:00', to: '17:00' }],
  timezone: 'Europe/London',
  holidays: ['2026-11-26'],
}

type Forecast = Output<'forecastCampaign'>
type Counts = Record<string, Record<string, number>>

/** Returns the number of emails by day and mailbox, with days in the campaign's time zone. */
const toCounts = ({ days }: Forecast): Counts =>
  Object.fromEntries(days.map(({ date, mailboxes }) => [date, mailboxes]))

/** Returns the number of Mondays to Fridays after the earlier day, up to and including the later one. */
function countBusinessDays(...days: [string, string]): number {
  const [from, to] = days.map(day => Date.parse(day)).sort((a, b) => a - b) as [number, number]
  let count = 0
  for (let day = from + DAY_MS; day <= to; day += DAY_MS) {
    if (new Date(day).getUTCDay() % 6 !== 0) count += 1
  }
  return count
}

/**
 * Runs the engine until `end`, whenever a step is due and a mailbox may send. Returns the number of emails
 * that the campaign sent, by day and mailbox.
 */
async function runUntil(
  end: string,
  { campaignId }: MailCampaign,
  everyMs = 30 * MINUTE_MS,
): Promise<Counts> {
  const counts: Counts = {}
  const countSent = () => app.owner<{ mailboxId: string; count: number }[]>`
    select mailbox_id as "mailboxId", count(*)::int as count from email_sends
     where campaign_id = ${campaignId} and state = 'sent' group by 1 order by 1`
  const seen = new Map((await countSent()).map(({ mailboxId, count }) => [mailboxId, count]))
  for (let at = app.now().getTime(); at <= Date.parse(end); at += everyMs) {
    app.setNow(new Date(at))
    const [found] = await app.owner<{ isDue: boolean }[]>`
      select exists (select from prospects p where p.campaign_id = ${campaignId} and p.next_step_at <= ${app.now()}
                        and exists (select from mailboxes b
                                     where b.account_id = p.account_id and b.id = coalesce(p.mailbox_id, b.id)
                                       and coalesce(greatest(b.cap_resets_at, b.gap_ends_at) <= ${app.now()}, true))) as "isDue"`
    if (!found?.isDue) continue
    await worker.work()
    const date = app.now().toTemporalInstant().toZonedDateTimeISO(office.timezone).toPlainDate().toString()
    for (const { mailboxId, count } of await countSent()) {
      const more = count - (seen.get(mailboxId) ?? 0)
      seen.set(mailboxId, count)
      if (more > 0) counts[date] = { ...counts[date], [mailboxId]: (counts[date]?.[mailboxId] ?? 0) + more }
    }
  }
  return counts
}

type Limits = Omit<RawInput<'updateMailbox'>, 'mailboxId'>

async function makeDraft(
  time: string,
  {
    people,
    limits,
    schedule = office,
  }: { people: number; limits: Limits[]; schedule?: RawInput<'updateCampaign'>['schedule'] },
): Promise<MailCampaign & { forecast: (horizonDays?: number) => Promise<Forecast> }> {
  app.setNow(time)
  const campaign = await makeMailCampaignToLaunch(app, servers.slice(0, limits.length), people, steps)
  const { owner, campaignId, mailboxIds } = campaign
  await owner.call('updateCampaign', { campaignId, schedule })
  for (const [n, mailboxId] of mailboxIds.entries())
    await owner.call('updateMailbox', { mailboxId, ...limits[n] })
  return { ...campaign, forecast: horizonDays => owner.call('forecastCampaign', { campaignId, horizonDays }) }
}

/**
 * Allows a difference of two per day and mailbox, because the mailbox of the last prospects depends on their random
 * IDs.
 */
function expectSimilar(forecast: Counts, sent: Counts): void {
  expect(Object.keys(forecast)).toEqual(Object.keys(sent))
  for (const [date, mailboxes] of Object.entries(sent))
    for (const mailboxId of Object.keys({ ...mailboxes, ...forecast[date] })) {
      const difference = (forecast[date]?.[mailboxId] ?? 0) - (mailboxes[mailboxId] ?? 0)
      expect(Math.abs(difference), `${date} ${mailboxId}`).toBeLessThanOrEqual(2)
    }
}

describe('forecasts', () => {
  it('the forecast of a draft with capped mailboxes agrees with the emails that the engine then sends', async () => {
    const draft = await makeDraft('2026-11-23T10:00:00.000Z', {
      people: 40,
      limits: [{ dailyCap: 6 }, { dailyCap: 10, rampUp: { start: 2, increase: 2 } }],
    })
    const forecast = await draft.forecast()
    await draft.launch()
    expectSimilar(toCounts(forecast), await runUntil('2026-12-18T17:00:00.000Z', draft))
    expect(forecast).toMatchObject({
      ...{ prospects: 40, emails: 120, remainingEmails: 0, endsAfterHorizon: false },
      firstSendAt: '2026-11-23T10:00:00.000Z',
      bottleneck: { limit: expect.stringMatching(/^(daily_cap|warm_up)$/) },
    })
    expect(forecast.steps.map(({ count }) => count)).toEqual([40, 40, 40])
    expect((await draft.forecast()).emails, 'afterwards').toBe(0)
  })

  it('the forecast of a draft leaves out prospects who lack a value', async () => {
    const draft = await makeDraft('2026-11-23T10:00:00.000Z', { people: 3, limits: [{}] })
    const { owner, campaignId } = draft
    const { steps: stored } = await owner.call('getCampaign', { campaignId })
    await owner.call('setCampaignSteps', {
      campaignId,
      steps: [{ subject: 'Hi', body: 'Hi {{ jobTitle }}' }, ...stored.slice(1)],
    })
    const { data } = await owner.call('listProspects', { campaignId })
    await owner.call('updatePerson', { personId: data[0]!.personId, title: 'Engineer' })
    expect(await draft.forecast()).toMatchObject({
      ...{ prospects: 1, emails: 3 },
      launch: { recipients: 1, incomplete: { total: 2 } },
    })
  })

  it("the forecast of a running campaign with a daily limit agrees with the remaining emails, in its prospects' time zones", async () => {
    const draft = await makeDraft('2026-11-23T10:00:00.000Z', { people: 24, limits: [{ dailyCap: 12 }] })
    const { owner, campaignId, launch, mailboxIds } = draft
    const { data } = await owner.call('listPersons', { limit: 24 })
    for (const [n, { id }] of data.entries())
      if (n % 3 > 0)
        await owner.call('updatePerson', {
          personId: id,
          ...(n % 3 === 1 ? { timezone: 'Asia/Tokyo' } : { phone: `+12125550${100 + n}` }),
        })
    await owner.call('updateCampaign', { campaignId, newProspectsPerDay: 4 })
    await launch()
    const before = await runUntil('2026-11-25T12:00:00.000Z', draft)
    expect(Object.keys(before)).toEqual(['2026-11-23', '2026-11-24', '2026-11-25'])
    const forecast = await draft.forecast()
    const sent = await runUntil('2026-12-18T17:00:00.000Z', draft)
    expectSimilar(toCounts(forecast), sent)
    expect(forecast.bottleneck.limit).toBe('new_prospects_cap')
    expect(forecast.mailboxes.map(({ mailboxId }) => mailboxId)).toEqual(mailboxIds)
  })

  it('the forecast of a mailbox with random gaps ends within one business day of the last email that the engine sends', async () => {
    const draft = await makeDraft('2026-11-23T09:00:00.000Z', {
      people: 6,
      limits: [{ minGapSeconds: 7200 }],
    })
    const forecast = await draft.forecast()
    await draft.launch()
    const last = Object.keys(await runUntil('2026-12-11T17:00:00.000Z', draft, 10 * MINUTE_MS)).at(-1)!
    const expected = forecast.days.at(-1)!.date
    expect(countBusinessDays(last, expected)).toBeLessThanOrEqual(1)
    expect(forecast.bottleneck.limit).toBe('gap')
  })

  it('a forecast names the warm-up, not the gaps, as the bottleneck when the warm-up delays emails until the next day', async () => {
    const draft = await makeDraft('2026-11-23T09:00:00.000Z', {
      people: 20,
      limits: [{ dailyCap: 50, minGapSeconds: 90, rampUp: { start: 10, increase: 5 } }],
    })
    expect((await draft.forecast()).bottleneck.limit).toBe('warm_up')
  })

  it('a forecast counts emails that other active campaigns send from the same mailboxes', async () => {
    const draft = await makeDraft('2026-11-23T10:00:00.000Z', { people: 10, limits: [{ dailyCap: 5 }] })
    const { owner, campaignId } = draft
    const alone = await draft.forecast()
    const { id: otherId } = await owner.call('duplicateCampaign', { campaignId })
    await owner.call('addProspectsToCampaign', {
      campaignId: otherId,
      data: Array.from({ length: 20 }, (_, n) => ({ email: `other${n}@${campaignId.slice(-12)}.example` })),
    })
    await owner.call('launchCampaign', { campaignId: otherId })
    const shared = await draft.forecast()
    expect(shared.emails).toBe(30)
    expect(Date.parse(shared.lastSendAt!)).toBeGreaterThan(Date.parse(alone.lastSendAt!))
    expect(await draft.forecast(3)).toMatchObject({ endsAfterHorizon: true })
  })

  it('a forecast names the bottleneck: no working mailbox, a schedule that ends, or none', async () => {
    const draft = await makeDraft('2026-11-23T10:00:00.000Z', { people: 2, limits: [{}] })
    const { owner, campaignId, mailboxIds } = draft
    expect(await draft.forecast()).toMatchObject({ emails: 6, bottleneck: { limit: 'none' } })
    await owner.call('updateCampaign', { campaignId, schedule: { ...office, latest: '2026-11-25' } })
    expect(await draft.forecast()).toMatchObject({
      ...{ emails: 4, remainingEmails: 2, endsAfterHorizon: false },
      bottleneck: { limit: 'schedule_over', emails: 2 },
    })
    await app.owner`update mailboxes set status = 'failing' where id = ${mailboxIds[0]!}`
    expect(await draft.forecast()).toMatchObject({
      ...{ emails: 0, remainingEmails: 6 },
      bottleneck: { limit: 'no_working_mailbox' },
    })
  })
})
