import type { OperationName, Output } from '../../../src/contract/index.ts'
import type { Caller } from '../app.ts'

type Lists =
  | 'listProspects'
  | 'listEmailMessages'
  | 'listLinkedinMessages'
  | 'listTasks'
  | 'listCalls'
  | 'listMeetings'
  | 'listOptOuts'
type Item<N extends Lists> = Output<N>['data'][number]
type Stats = Output<'getCampaignStats'>
export type Answer = { prospectId: string; at: string; stepId?: string | undefined }

/** A campaign as the lists of the public API show it. */
export type CampaignData = {
  steps: Output<'getCampaign'>['steps']
  prospects: Item<'listProspects'>[]
  mails: Item<'listEmailMessages'>[]
  linkedin: Item<'listLinkedinMessages'>[]
  tasks: Item<'listTasks'>[]
  calls: Item<'listCalls'>[]
  meetings: Item<'listMeetings'>[]
}

/** Reads all pages of a list. */
export async function listAll<N extends Lists>(
  { call }: Caller,
  name: N,
  filters: object,
): Promise<Item<N>[]> {
  const items: unknown[] = []
  for (let cursor: string | undefined, isLast = false; !isLast; isLast = cursor === undefined) {
    const page = (await call(name as OperationName, { ...filters, limit: 100, cursor } as never)) as {
      data: unknown[]
      next?: string
    }
    items.push(...page.data)
    cursor = page.next
  }
  return items as Item<N>[]
}

/** Reads the campaigns of an account from its lists, and the calls outside campaigns. */
export async function readCampaigns(
  caller: Caller,
  campaignIds: readonly string[],
): Promise<{ campaigns: Map<string, CampaignData>; otherCalls: CampaignData['calls'] }> {
  const all = {
    prospects: await listAll(caller, 'listProspects', {}),
    mails: await listAll(caller, 'listEmailMessages', {}),
    linkedin: await listAll(caller, 'listLinkedinMessages', {}),
    tasks: await listAll(caller, 'listTasks', {}),
    calls: await listAll(caller, 'listCalls', {}),
    meetings: await listAll(caller, 'listMeetings', {}),
  }
  const groups = Object.entries(all).map(
    ([name, items]) =>
      [
        name,
        Map.groupBy<string | undefined, { campaignId?: string | undefined }>(items, each => each.campaignId),
      ] as const,
  )
  const campaigns = new Map<string, CampaignData>()
  for (const campaignId of campaignIds) {
    const own = Object.fromEntries(groups.map(([name, byId]) => [name, byId.get(campaignId) ?? []]))
    const { steps } = await caller.call('getCampaign', { campaignId })
    campaigns.set(campaignId, { ...(own as Omit<CampaignData, 'steps'>), steps })
  }
  return { campaigns, otherCalls: all.calls.filter(({ campaignId }) => !campaignId) }
}

export const sentMails = (mails: CampaignData['mails']) =>
  mails.filter(({ type, status }) => type === 'campaign' && status === 'sent')

const countBounced = (mails: CampaignData['mails'], ...classes: string[]): number =>
  mails.filter(
    ({ deliveryStatus, deliveryReason = '' }) =>
      deliveryStatus === 'bounced' && classes.some(each => deliveryReason.includes(`reached: ${each}`)),
  ).length

/** Returns emails that a server refused during SMTP. */
const refusedMails = ({ mails }: CampaignData) =>
  mails.filter(({ type, deliveryStatus }) => type === 'campaign' && deliveryStatus === 'failed')

/** Counts emails from the emails themselves. */
export function recountMails(shown: CampaignData) {
  const sent = sentMails(shown.mails)
  return {
    sent: sent.length,
    delivered: sent.filter(({ deliveryStatus }) => deliveryStatus !== 'bounced').length,
    bouncedHard: countBounced(sent, 'hard'),
    refused: refusedMails(shown).length,
    blocked: countBounced(sent, 'policy'),
    bouncedSoft: countBounced(sent, 'soft', 'unknown'),
  }
}

/** Returns prospects' own replies on every channel. */
export function getAnswers({ mails, linkedin, tasks, calls, prospects, steps }: CampaignData): Answer[] {
  const since = new Map(prospects.map(({ id, createdAt }) => [id, createdAt]))
  const endsSequence = new Set(steps.filter(({ call }) => call?.onAnswered === 'stop').map(({ id }) => id))
  return [
    ...mails
      .filter(({ type, receivedKind }) => type === 'received' && receivedKind !== 'auto_reply')
      .map(({ prospectId, sentAt }) => ({ prospectId: prospectId!, at: sentAt })),
    ...linkedin
      .filter(
        ({ type, prospectId, happenedAt }) => type === 'received' && since.get(prospectId!)! <= happenedAt!,
      )
      .map(({ prospectId, happenedAt }) => {
        const done = tasks.filter(
          each =>
            each.prospectId === prospectId &&
            ['linkedin_connect', 'linkedin_message'].includes(each.channel) &&
            each.status === 'completed' &&
            each.endedAt! <= happenedAt!,
        )
        const [last] = done.sort((a, b) => b.endedAt!.localeCompare(a.endedAt!))
        return { prospectId: prospectId!, at: happenedAt!, stepId: last?.stepId }
      }),
    ...calls
      .filter(({ outcome, stepId }) => outcome === 'answered' && endsSequence.has(stepId!))
      .map(({ prospectId, startedAt, stepId }) => ({ prospectId: prospectId!, at: startedAt!, stepId })),
  ]
}

const count = <T>(items: readonly T[], keyOf: (item: T) => string | undefined): Record<string, number> =>
  Object.fromEntries(
    Object.entries(Object.groupBy(items, item => keyOf(item) ?? '')).map(([key, own]) => [key, own!.length]),
  )

const getProspectIds = (items: readonly { prospectId?: string | undefined }[]) =>
  new Set(items.map(({ prospectId }) => prospectId!))

/** Returns the number of prospects by the intent of their replies, those who have replied only. */
export function recountIntents(shown: CampaignData): Record<string, number> {
  const answered = getProspectIds(getAnswers(shown))
  return count(
    shown.prospects.filter(({ id }) => answered.has(id)),
    ({ intent }) => intent,
  )
}

/** Counts people. */
export const recountPeople = (shown: CampaignData) => ({
  enrolled: shown.prospects.length,
  prospects: count(shown.prospects, ({ status }) => status),
  replied: getProspectIds(getAnswers(shown)).size,
  positive: recountIntents(shown).interested ?? 0,
  autoReplied: getProspectIds(shown.mails.filter(({ receivedKind }) => receivedKind === 'auto_reply')).size,
  meetings: shown.meetings.filter(({ status }) => status === 'booked').length,
})

const dropZeros = (counts: object): object =>
  Object.fromEntries(Object.entries(counts).filter(([, value]) => value !== 0))

/** Counts results of tasks and calls by step, without zeros. */
export const recountSteps = ({ tasks, calls }: CampaignData) => ({
  tasks: groupCount(tasks, ({ status }) => status),
  calls: groupCount(
    calls.filter(({ outcome }) => outcome !== 'withdrawn'),
    ({ status, outcome }) => (status === 'ended' ? (outcome === 'no_answer' ? 'noAnswer' : outcome) : 'open'),
  ),
})

const groupCount = <T extends { stepId?: string | undefined }>(
  items: readonly T[],
  keyOf: (item: T) => string | undefined,
) =>
  Object.fromEntries(
    Map.groupBy(
      items.filter(({ stepId }) => stepId),
      ({ stepId }) => stepId!,
    )
      .entries()
      .map(([stepId, own]) => [stepId, count(own, keyOf)]),
  )

export const getStepCounts = ({ steps }: Stats) => ({
  tasks: Object.fromEntries(
    steps.flatMap(({ stepId, tasks }) => (tasks ? [[stepId, dropZeros(tasks)]] : [])),
  ),
  calls: Object.fromEntries(
    steps.flatMap(({ stepId, calls }) => (calls ? [[stepId, dropZeros(calls)]] : [])),
  ),
})

/** Returns the intent of each prospect's last message that has one. Automatic replies count for want of others. */
function findIntents({ mails, linkedin }: CampaignData): Map<string, string> {
  const messages = [
    ...mails.map(({ prospectId, sentAt, reply }) => ({ prospectId, at: sentAt, intent: reply?.intent })),
    ...linkedin.map(({ prospectId, happenedAt, reply }) => ({
      ...{ prospectId, at: happenedAt!, intent: reply?.intent },
    })),
  ]
  const intents = new Map<string, string>()
  for (const { prospectId, intent } of messages.sort((a, b) => a.at.localeCompare(b.at)))
    if (prospectId && intent && (intent !== 'auto' || !intents.has(prospectId)))
      intents.set(prospectId, intent)
  return intents
}

/** Returns the persons to whom an email bounced, or was refused at once, in one of these campaigns. */
function findBouncedPersons(campaigns: readonly CampaignData[]): Set<string> {
  const prospectIds = getProspectIds(
    campaigns.flatMap(shown => [
      ...shown.mails.filter(({ deliveryReason = '' }) => deliveryReason.includes('reached: hard')),
      ...refusedMails(shown),
    ]),
  )
  const prospects = campaigns.flatMap(shown => shown.prospects)
  return new Set(prospects.filter(({ id }) => prospectIds.has(id)).map(({ personId }) => personId))
}

/**
 * Returns contradictions between prospects' status and what they did, as messages. `campaigns` are all that contact the
 * same people.
 */
export function findContradictions(
  shown: CampaignData,
  campaigns: readonly CampaignData[] = [shown],
): string[] {
  // A meeting ends a sequence like a reply, also once it is cancelled.
  const answered = getProspectIds([...getAnswers(shown), ...shown.meetings])
  const bounced = findBouncedPersons(campaigns)
  // A step whose email bounced may be sent again, to another address.
  const arrived = sentMails(shown.mails).filter(
    ({ deliveryReason = '' }) => !deliveryReason.includes('reached: hard'),
  )
  const mailsTo = count(arrived, ({ prospectId }) => prospectId)
  const intents = findIntents(shown)
  const found = shown.prospects.flatMap(({ id, personId, person, status, intent, step = 0 }) => {
    const hasAnswered = answered.has(id)
    const isSaid = (is: boolean, words: string) => (is ? [`${person?.email} ${words}`] : [])
    return [
      ...isSaid(status === 'replied' && !hasAnswered, 'has status replied but no reply'),
      ...isSaid(
        // An erased person, who has no address, may still reply.
        hasAnswered && !['replied', 'opted_out'].includes(status!) && !!person?.email,
        `replied but has status ${status}`,
      ),
      ...isSaid(status === 'bounced' && !bounced.has(personId), 'has status bounced but no bounced mail'),
      ...isSaid(status === 'pending' && !!mailsTo[id], 'has status pending but was sent mail'),
      ...isSaid((mailsTo[id] ?? 0) > step, `got ${mailsTo[id]} mails in ${step} steps`),
      ...isSaid(intents.get(id) !== intent, `has intent ${intent} but wrote ${intents.get(id)}`),
    ]
  })
  const ids = new Set(shown.prospects.map(({ id }) => id))
  const strangers = [...shown.mails, ...shown.linkedin].filter(
    ({ prospectId }) => prospectId !== undefined && !ids.has(prospectId),
  )
  return [...found, ...strangers.map(({ id }) => `message ${id} belongs to no prospect of the campaign`)]
}

const mailNumbers = ['sent', 'delivered', 'bouncedHard', 'bouncedSoft', 'blocked', 'refused'] as const
const numbers = [
  ...mailNumbers,
  'replied',
  'positive',
  'autoReplied',
  'optedOut',
  'complaints',
  'meetings',
] as const
type Numbers = Record<(typeof numbers)[number], number>

/** Returns the statistics whose parts don't add up to the total. */
export function findWrongSums({ steps, days, outsideSteps, ...stats }: Stats): string[] {
  const sumParts = (parts: Numbers[], name: (typeof numbers)[number]) =>
    parts.reduce((sum, part) => sum + part[name], 0)
  const isLost = ({ sent, delivered, bouncedHard, bouncedSoft, blocked }: Numbers) =>
    sent !== delivered + bouncedHard + bouncedSoft + blocked
  const variants = steps.flatMap(step => step.variants)
  return [
    ...numbers
      .filter(name => sumParts(steps, name) + ((outsideSteps as Partial<Numbers>)[name] ?? 0) !== stats[name])
      .map(name => `${name} of the steps and outside`),
    ...[stats, ...steps, ...variants, ...days]
      .filter(isLost)
      .map(part => `delivered and bounced of what was sent: ${JSON.stringify(part)}`),
    ...steps.flatMap(step =>
      // Calls have no variants, and an invitation without a note has none.
      (step.calls || step.tasks ? mailNumbers : ([...mailNumbers, 'replied', 'autoReplied'] as const))
        .filter(name => sumParts(step.variants, name) !== step[name])
        .map(name => `${name} of the variants of step ${step.position}`),
    ),
    ...(['sent', 'replied', 'autoReplied', 'optedOut', 'complaints'] as const)
      .filter(name => days.reduce((sum, day) => sum + day[name], 0) !== stats[name])
      .map(name => `${name} of the days`),
  ]
}
