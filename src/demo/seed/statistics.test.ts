import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Caller, createCaller, openTestApp, type TestApp } from '../../../test/support/app.ts'
import {
  findContradictions,
  findWrongSums,
  getStepCounts,
  readCampaigns,
  recountEmails,
  recountProspects,
  recountSteps,
} from '../../../test/support/campaigns/recount.ts'
import type { Output } from '../../contract/index.ts'
import { toCampaignMetrics } from '../../web/pages/campaigns/campaign-metrics.ts'
import { formatMetricsOutsideSteps, formatStepMetrics } from '../../web/pages/campaigns/step-metrics.ts'
import { type AccountKey, accounts } from '../data/accounts.ts'
import { openDemo } from '../demo.ts'
import { getAccountId, getUserId } from './seed-context.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
  app.setNow('2026-11-24T12:00:00.000Z')
  await openDemo({ app, dataDir: app.dataDir, [Symbol.asyncDispose]: async () => {} })
})
afterAll(() => app[Symbol.asyncDispose]())

const getOwner = (key: AccountKey): Caller =>
  createCaller(app, {
    ...{ accountId: getAccountId(key), userId: getUserId('owner@demo.example'), role: 'owner' },
    ...{ actor: 'session:1', isReadOnly: false },
  })

const listCampaigns = async (key: AccountKey) =>
  (await getOwner(key).call('listCampaigns', { limit: 100 })).data

/** Sums the replies that the campaign page shows: one line per step and one for the rest. */
function countShownReplies(stats: Output<'getCampaignStats'>): number {
  const lines = [...stats.steps.map(formatStepMetrics), formatMetricsOutsideSteps(stats) ?? '']
  return lines.reduce((sum, line) => sum + Number(/(\d+) replied/.exec(line)?.[1] ?? 0), 0)
}

it.each(Object.keys(accounts) as AccountKey[])(
  'the statistics of each campaign of %s match its prospects, messages, tasks and calls',
  async key => {
    const owner = getOwner(key)
    for (const { id: campaignId, name, status } of await listCampaigns(key)) {
      const range = { from: '2026-08-01', to: '2026-11-30' }
      const stats = await owner.call('getCampaignStats', { campaignId, ...range })
      const shown = (await readCampaigns(owner, [campaignId])).campaigns.get(campaignId)!
      expect(stats, name).toMatchObject({
        ...recountEmails(shown),
        ...recountProspects(shown),
        ...{ optedOut: stats.prospects.opted_out ?? 0, complaints: 0 },
      })
      expect(
        stats.steps.reduce((sum, step) => sum + step.optedOut, 0),
        name,
      ).toBe(stats.optedOut)
      expect(stats.replied, name).toBe((stats.prospects.replied ?? 0) + stats.optedOut)
      expect(getStepCounts(stats), name).toEqual(recountSteps(shown))
      expect([...findContradictions(shown), ...findWrongSums(stats)], name).toEqual([])
      expect(countShownReplies(stats), name).toBe(stats.replied)
      const metrics = new Map(toCampaignMetrics(shown.steps, stats).map(({ label, value }) => [label, value]))
      expect(metrics.get('Sent'), name).toBe(
        shown.steps.some(({ channel }) => channel === 'email')
          ? metrics.get('Delivered')! + metrics.get('Bounced')!
          : undefined,
      )
      expect(metrics.get('Tasks done'), name).toBe(
        stats.steps.some(({ tasks }) => tasks)
          ? shown.tasks.filter(({ stepId, status }) => stepId && status === 'completed').length
          : undefined,
      )
      const untouched = shown.prospects.filter(({ step }) => !step).map(({ status }) => status)
      expect(untouched, name).not.toContain('replied')
      expect(untouched, name).not.toContain('completed')
      if (status === 'draft') {
        expect(Object.keys(stats.prospects), name).toEqual(['pending'])
        expect([...shown.emails, ...shown.linkedin, ...shown.tasks], name).toEqual([])
      }
    }
  },
)

it('the demo has A/B variants, LinkedIn and call steps, and a failing mailbox with its error', async () => {
  const { call } = getOwner('acme')
  const campaigns = await listCampaigns('acme')
  const all = await Promise.all(campaigns.map(({ id }) => call('getCampaignStats', { campaignId: id })))
  const steps = all.flatMap(stats => stats.steps)
  expect(Math.max(...steps.map(({ variants }) => variants.length))).toBe(2)
  for (const { variants } of steps.filter(({ variants }) => variants.length > 1))
    expect(variants.every(({ sent, replied }) => sent > 0 && replied < sent)).toBe(true)
  expect(steps.some(({ tasks }) => tasks && tasks.open > 0 && tasks.completed > 0)).toBe(true)
  expect(steps.some(({ calls }) => calls && calls.answered > 0 && calls.voicemail > 0)).toBe(true)
  const { data: mailboxes } = await call('listMailboxes', { limit: 100 })
  const failing = mailboxes.filter(({ status }) => status === 'failing')
  expect(failing).toMatchObject([{ statusReason: expect.stringContaining('535') }])
  expect(failing[0]!.health!.retryAt! < '2026-11-25').toBe(true)
})
