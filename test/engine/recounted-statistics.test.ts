import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type History, simulateHistory, type World } from '../support/campaigns/history.ts'
import {
  type Answer,
  type CampaignData,
  findContradictions,
  findWrongSums,
  getAnswers,
  getStepCounts,
  readCampaign,
  recountMails,
  recountPeople,
  recountSteps,
  sentMails,
} from '../support/campaigns/recount.ts'
import { findReportDifferences } from '../support/campaigns/report-differences.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'
import { openWorker } from '../support/mail/mail-campaign.ts'
import { ScriptedSmtp } from '../support/mail/scripted-smtp.ts'
import { seedFrom } from '../support/random.ts'

/** `HISTORY_SEED=… bin/test test/engine/recounted-statistics.test.ts` repeats the same choices. */
const HISTORIES = 6
const TIMEOUT_MS = 120_000

let server: TestServer
let world: World
beforeAll(async () => {
  server = await openTestServer({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
  world = {
    ...{ app: server.app, url: server.url },
    ...{ worker: openWorker(server.app), server: await ScriptedSmtp.open() },
  }
})
afterAll(async () => {
  await world?.worker[Symbol.asyncDispose]()
  await world?.server[Symbol.asyncDispose]()
  await server?.[Symbol.asyncDispose]()
})

/** Returns the step and variant marked in a mail's body. */
const parseMark = ({ body }: { body: string }): string => /\[(\d[AB])\]/.exec(body)?.[1] ?? ''

/** Counts prospects by the step that they replied to first. */
function recountAnswers(shown: CampaignData, { answered }: History): Record<string, number> {
  const { steps } = shown
  const byMail = answered.map(({ prospectId, mark, at }): Answer => {
    const step = steps.find(({ position }) => position === Number(mark[0]))
    return { prospectId, at: at.toISOString(), stepId: step?.id }
  })
  const others = getAnswers({ ...shown, mails: [] })
  const first = new Map<string, Answer>()
  for (const answer of [...byMail, ...others].sort((a, b) => a.at.localeCompare(b.at)))
    if (!first.has(answer.prospectId)) first.set(answer.prospectId, answer)
  const counts: Record<string, number> = {}
  for (const { stepId } of first.values()) if (stepId) counts[stepId] = (counts[stepId] ?? 0) + 1
  return counts
}

/** Counts sent mails by variant. */
function recountVariants(shown: CampaignData): Record<string, number> {
  const variants = shown.steps.flatMap(({ variants }) => variants)
  const counts: Record<string, number> = {}
  for (const mail of sentMails(shown)) {
    const { id } = variants.find(({ body }) => parseMark({ body }) === parseMark(mail))!
    counts[id] = (counts[id] ?? 0) + 1
  }
  return counts
}

describe('campaign statistics', () => {
  const first = seedFrom('HISTORY_SEED')
  it.each(Array.from({ length: HISTORIES }, (_, n) => first + n))(
    'match its prospects, messages, tasks and calls after random events (HISTORY_SEED=%i)',
    async seed => {
      world.app.setNow('2026-11-24T09:00:00.000Z')
      const history = await simulateHistory(world, seed)
      const { owner, campaignId, complained, optedOut, acts } = history
      const day = (offset: number) => new Date(world.app.now().getTime() + offset * 86_400_000)
      const [from, to] = [day(-200), day(100)].map(date => date.toISOString().slice(0, 10))
      const stats = await owner.call('getCampaignStats', { campaignId, from, to })
      const shown = await readCampaign(owner, campaignId)
      const actions = acts.join('\n')
      const isOptedOut = shown.prospects.filter(
        ({ id, status }) => status === 'opted_out' || optedOut.has(id),
      )
      expect(stats, actions).toMatchObject({
        ...recountMails(shown),
        ...recountPeople(shown),
        complaints: complained.size,
        optedOut: isOptedOut.length,
      })
      expect(getStepCounts(stats), actions).toEqual(recountSteps(shown))
      const counted = (name: 'sent' | 'replied', parts: { id: string; sent: number; replied: number }[]) =>
        Object.fromEntries(parts.filter(part => part[name] > 0).map(part => [part.id, part[name]]))
      const steps = stats.steps.map(({ stepId, ...step }) => ({ id: stepId, ...step }))
      const variants = stats.steps.flatMap(step =>
        step.variants.map(({ variantId, ...own }) => ({ id: variantId, ...own })),
      )
      expect(counted('replied', steps), actions).toEqual(recountAnswers(shown, history))
      expect(counted('sent', variants), actions).toEqual(recountVariants(shown))
      const split = day(0).toISOString().slice(0, 10)
      const differences = await findReportDifferences(owner, shown, stats, { from: from!, to: to!, split })
      expect([...findContradictions(shown), ...findWrongSums(stats), ...differences], actions).toEqual([])
    },
    TIMEOUT_MS,
  )
})
