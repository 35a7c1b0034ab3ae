import { isDeepStrictEqual } from 'node:util'
import { type History, simulateHistory, type World } from './history.ts'
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
} from './recount.ts'
import { findReportDifferences } from './report-differences.ts'

const DAY_MS = 86_400_000

/**
 * Simulates a random campaign. Returns what its statistics, its report, the states of its prospects and its messages say
 * differently, and what happened.
 */
export async function checkHistory(
  world: World,
  seed: number,
): Promise<{ differences: string[]; actions: string }> {
  world.app.setNow('2026-11-24T09:00:00.000Z')
  const history = await simulateHistory(world, seed)
  const { owner, campaignId, complained, optedOut, acts } = history
  const [from, split, to] = [-200, 0, 100].map(offset =>
    new Date(world.app.now().getTime() + offset * DAY_MS).toISOString().slice(0, 10),
  ) as [string, string, string]
  const stats = await owner.call('getCampaignStats', { campaignId, from, to })
  const shown = await readCampaign(owner, campaignId)
  const isOptedOut = shown.prospects.filter(({ id, status }) => status === 'opted_out' || optedOut.has(id))
  const recounted: object = {
    ...recountMails(shown),
    ...recountPeople(shown),
    complaints: complained.size,
    optedOut: isOptedOut.length,
  }
  const steps = stats.steps.map(({ stepId, ...step }) => ({ id: stepId, ...step }))
  const variants = stats.steps.flatMap(step =>
    step.variants.map(({ variantId, ...own }) => ({ id: variantId, ...own })),
  )
  const count = (name: 'sent' | 'replied', parts: { id: string; sent: number; replied: number }[]) =>
    Object.fromEntries(parts.filter(part => part[name] > 0).map(part => [part.id, part[name]]))
  const differences = [
    ...Object.entries(recounted).flatMap(([name, value]) =>
      compare(name, (stats as Record<string, unknown>)[name], value),
    ),
    ...compare('results of steps', getStepCounts(stats), recountSteps(shown)),
    ...compare('replies by step', count('replied', steps), recountAnswers(shown, history)),
    ...compare('emails by variant', count('sent', variants), recountVariants(shown)),
    ...findContradictions(shown),
    ...findWrongSums(stats),
    ...(await findReportDifferences(owner, shown, stats, { from, to, split })),
  ]
  return { differences, actions: acts.join('\n') }
}

const compare = (what: string, counted: unknown, recounted: unknown): string[] =>
  isDeepStrictEqual(counted, recounted)
    ? []
    : [`${what}: ${JSON.stringify(counted)} and recounted ${JSON.stringify(recounted)}`]

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
