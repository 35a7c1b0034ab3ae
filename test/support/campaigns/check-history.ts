import { isDeepStrictEqual } from 'node:util'
import type { Output } from '../../../src/contract/index.ts'
import { parseEnvelopeAddress } from '../mail/mail-campaign.ts'
import { type History, simulateHistories } from './history.ts'
import type { World } from './history-world.ts'
import {
  type CampaignData,
  findContradictions,
  findWrongSums,
  getReplies,
  getStepCounts,
  type Reply,
  readCampaigns,
  recountEmails,
  recountProspects,
  recountSteps,
} from './recount.ts'
import { compareReports } from './report-differences.ts'

type Counts = Record<string, number>

const DAY_MS = 86_400_000

type Period = { from: string; split: string; to: string }
export type CheckedAccount = {
  histories: History[]
  differences: string[]
  /** The totals of the report on all campaigns of the account. */
  total: Output<'getReport'>['total']
}

/** Simulates random campaigns and finds where their statistics, reports, prospects and messages disagree. */
export async function checkHistories(
  world: World,
  options: { seed: number; count: number },
): Promise<CheckedAccount[]> {
  const accounts = await simulateHistories(world, options)
  return Promise.all(accounts.map((histories, nth) => checkAccount(world, histories, nth)))
}

/** Lists the differences, and the events that preceded them. */
export const describeDifferences = ({ differences, histories }: CheckedAccount): string =>
  [
    ...differences,
    ...histories.flatMap(({ campaignId, events }) => [
      `campaign ${campaignId}`,
      ...events.map(({ act, person, result }) => `  ${act} ${person}: ${result}`),
    ]),
  ].join('\n')

async function checkAccount(world: World, histories: History[], nth: number): Promise<CheckedAccount> {
  const { owner } = histories[0]!
  // The reports of two adjacent periods must add up wherever the range is split, so the split varies.
  const [from, split, to] = [-9, -(nth % 4), 9].map(offset =>
    new Date(world.app.now().getTime() + offset * DAY_MS).toISOString().slice(0, 10),
  ) as [string, string, string]
  const period = { from, split, to }
  const lists = await readCampaigns(
    owner,
    histories.map(({ campaignId }) => campaignId),
  )
  for (const { campaignId, erasedReasons } of histories)
    for (const email of lists.campaigns.get(campaignId)!.emails) {
      const reason = erasedReasons.get(email.id)
      if (reason) email.deliveryReason ??= reason
    }
  const checked = await Promise.all(
    histories.map(history => checkCampaign(world, history, lists.campaigns, period)),
  )
  const campaigns = checked.map((each, n) => {
    const { repId, mailbox } = histories[n]!
    return { ...each, repId, mailboxId: mailbox.id }
  })
  const { total, differences } = await compareReports(
    owner,
    { campaigns, otherCalls: lists.otherCalls },
    period,
  )
  return { histories, differences: [...checked.flatMap(each => each.differences), ...differences], total }
}

async function checkCampaign(
  world: World,
  history: History,
  campaigns: Map<string, CampaignData>,
  { from, to }: Period,
): Promise<{ differences: string[]; stats: Output<'getCampaignStats'>; lists: CampaignData }> {
  const { owner, campaignId, complained, optedOut } = history
  const lists = campaigns.get(campaignId)!
  const stats = await owner.call('getCampaignStats', { campaignId, from, to })
  const optOuts = lists.prospects.filter(({ id, status }) => status === 'opted_out' || optedOut.has(id))
  const recounted: object = {
    ...recountEmails(lists),
    ...recountProspects(lists),
    complaints: complained.size,
    optedOut: optOuts.length,
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
    ...compare('results of steps', getStepCounts(stats), recountSteps(lists)),
    ...compare('replies by step', count('replied', steps), recountReplies(lists, history)),
    ...compare('emails by variant', count('sent', variants), recountVariants(world, history, lists)),
    ...findContradictions(lists, [...campaigns.values()]),
    ...findWrongIntents(lists, history),
    ...findRepeatedSteps(world, history),
    ...findWrongSums(stats),
  ]
  return { differences: differences.map(each => `campaign ${campaignId}: ${each}`), stats, lists }
}

const compare = (label: string, counted: unknown, recounted: unknown): string[] =>
  isDeepStrictEqual(counted, recounted)
    ? []
    : [`${label}: counted ${JSON.stringify(counted)}, recounted ${JSON.stringify(recounted)}`]

/** Returns the step and variant marked in an email's body. */
const parseMark = ({ body }: { body: string }): string => /\[(\d[AB])\]/.exec(body)?.[1] ?? ''

/** Counts prospects by the step that they replied to first. */
function recountReplies(lists: CampaignData, { answered }: History): Counts {
  const { steps } = lists
  const byEmail = answered.map(({ prospectId, mark, at }): Reply => {
    const step = steps.find(({ position }) => position === Number(mark[0]))
    return { prospectId, at: at.toISOString(), stepId: step?.id }
  })
  const others = getReplies({ ...lists, emails: [] })
  const first = new Map<string, Reply>()
  for (const reply of [...byEmail, ...others].sort((a, b) => a.at.localeCompare(b.at)))
    if (!first.has(reply.prospectId)) first.set(reply.prospectId, reply)
  const counts: Counts = {}
  for (const { stepId } of first.values()) if (stepId) counts[stepId] = (counts[stepId] ?? 0) + 1
  return counts
}

/** Counts the emails that the mail server received, by variant. */
function recountVariants(world: World, { mailbox }: History, { steps }: CampaignData): Counts {
  const variants = steps.flatMap(({ variants }) => variants)
  const counts: Counts = {}
  for (const { wire } of world.listTransfers(mailbox.email)) {
    const mark = parseMark({ body: wire.toString('latin1') })
    const id = variants.find(({ body }) => parseMark({ body }) === mark)?.id
    if (id) counts[id] = (counts[id] ?? 0) + 1
  }
  return counts
}

/** Returns the steps that an address received more than once. */
function findRepeatedSteps(world: World, { mailbox }: History): string[] {
  const received = world.listTransfers(mailbox.email).flatMap(({ envelope, wire }) => {
    const mark = parseMark({ body: wire.toString('latin1') })
    // Manual replies have the mark 0A, which belongs to no step.
    return mark && mark !== '0A' ? `${parseEnvelopeAddress(envelope[1]!)} received step ${mark[0]} twice` : []
  })
  return received.filter((each, n) => received.indexOf(each) !== n)
}

/** Returns received messages whose intent differs from the intent that their text was chosen for. */
const findWrongIntents = ({ emails, linkedin }: CampaignData, { account }: History): string[] =>
  [...emails, ...linkedin].flatMap(({ id, reply }) => {
    const history = account.find(({ intents }) => intents.has(id))
    return history ? compare(`intent of ${id}`, reply?.intent, history.intents.get(id)) : []
  })
