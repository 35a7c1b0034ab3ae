import type { OperationName, Output } from '../../../src/contract/index.ts'
import type { Caller } from '../app.ts'

type ListOperation =
  | 'listProspects'
  | 'listEmailMessages'
  | 'listLinkedinMessages'
  | 'listTasks'
  | 'listCalls'
  | 'listMeetings'
  | 'listOptOuts'
type Item<N extends ListOperation> = Output<N>['data'][number]
type Stats = Output<'getCampaignStats'>
export type Reply = { prospectId: string; at: string; stepId?: string | undefined }

/** A campaign as the lists of the public API show it. */
export type CampaignData = {
  steps: Output<'getCampaign'>['steps']
  prospects: Item<'listProspects'>[]
  emails: Item<'listEmailMessages'>[]
  linkedin: Item<'listLinkedinMessages'>[]
  tasks: Item<'listTasks'>[]
  calls: Item<'listCalls'>[]
  meetings: Item<'listMeetings'>[]
}

/** Reads all pages of a list. */
export async function listAll<N extends ListOperation>(
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

/** Reads an account's campaigns, and its calls outside campaigns, from its lists. */
export async function readCampaigns(
  caller: Caller,
  campaignIds: readonly string[],
): Promise<{ campaigns: Map<string, CampaignData>; otherCalls: CampaignData['calls'] }> {
  const all = {
    prospects: await listAll(caller, 'listProspects', {}),
    emails: await listAll(caller, 'listEmailMessages', {}),
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

export const getSentEmails = (emails: CampaignData['emails']) =>
  emails.filter(({ type, status }) => type === 'campaign' && status === 'sent')

const countBounced = (emails: CampaignData['emails'], ...classes: string[]): number =>
  emails.filter(
    ({ deliveryStatus, deliveryReason = '' }) =>
      deliveryStatus === 'bounced' && classes.some(each => deliveryReason.includes(`reached: ${each}`)),
  ).length

/** Returns emails that a server refused during SMTP. */
const getRefusedEmails = ({ emails }: CampaignData) =>
  emails.filter(({ type, deliveryStatus }) => type === 'campaign' && deliveryStatus === 'failed')

/** Counts emails by result, from the list of emails. */
export function recountEmails(campaign: CampaignData) {
  const sent = getSentEmails(campaign.emails)
  return {
    sent: sent.length,
    delivered: sent.filter(({ deliveryStatus }) => deliveryStatus !== 'bounced').length,
    bouncedHard: countBounced(sent, 'hard'),
    refused: getRefusedEmails(campaign).length,
    blocked: countBounced(sent, 'policy'),
    bouncedSoft: countBounced(sent, 'soft', 'unknown'),
  }
}

/** Returns prospects' own replies on every channel. */
export function getReplies({ emails, linkedin, tasks, calls, prospects, steps }: CampaignData): Reply[] {
  const createdAtById = new Map(prospects.map(({ id, createdAt }) => [id, createdAt]))
  const endingStepIds = new Set(steps.filter(({ call }) => call?.onAnswered === 'stop').map(({ id }) => id))
  return [
    ...emails
      .filter(({ type, receivedKind }) => type === 'received' && receivedKind !== 'auto_reply')
      .map(({ prospectId, sentAt }) => ({ prospectId: prospectId!, at: sentAt })),
    ...linkedin
      .filter(
        ({ type, prospectId, happenedAt }) =>
          type === 'received' && createdAtById.get(prospectId!)! <= happenedAt!,
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
      .filter(({ outcome, stepId }) => outcome === 'answered' && endingStepIds.has(stepId!))
      .map(({ prospectId, startedAt, stepId }) => ({ prospectId: prospectId!, at: startedAt!, stepId })),
  ]
}

const count = <T>(items: readonly T[], getKey: (item: T) => string | undefined): Record<string, number> =>
  Object.fromEntries(
    Object.entries(Object.groupBy(items, item => getKey(item) ?? '')).map(([key, own]) => [key, own!.length]),
  )

const getProspectIds = (items: readonly { prospectId?: string | undefined }[]) =>
  new Set(items.map(({ prospectId }) => prospectId!))

/** Counts the prospects who have replied, by intent. */
export function recountIntents(campaign: CampaignData): Record<string, number> {
  const repliedIds = getProspectIds(getReplies(campaign))
  return count(
    campaign.prospects.filter(({ id }) => repliedIds.has(id)),
    ({ intent }) => intent,
  )
}

/** Counts prospects by status and result. */
export const recountProspects = (campaign: CampaignData) => ({
  enrolled: campaign.prospects.length,
  prospects: count(campaign.prospects, ({ status }) => status),
  replied: getProspectIds(getReplies(campaign)).size,
  positive: recountIntents(campaign).interested ?? 0,
  autoReplied: getProspectIds(campaign.emails.filter(({ receivedKind }) => receivedKind === 'auto_reply'))
    .size,
  meetings: campaign.meetings.filter(({ status }) => status === 'booked').length,
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
  getKey: (item: T) => string | undefined,
) =>
  Object.fromEntries(
    Map.groupBy(
      items.filter(({ stepId }) => stepId),
      ({ stepId }) => stepId!,
    )
      .entries()
      .map(([stepId, own]) => [stepId, count(own, getKey)]),
  )

export const getStepCounts = ({ steps }: Stats) => ({
  tasks: Object.fromEntries(
    steps.flatMap(({ stepId, tasks }) => (tasks ? [[stepId, dropZeros(tasks)]] : [])),
  ),
  calls: Object.fromEntries(
    steps.flatMap(({ stepId, calls }) => (calls ? [[stepId, dropZeros(calls)]] : [])),
  ),
})

/**
 * Returns the intent of each prospect's last classified message. An automatic reply counts only if there is no other.
 */
function findIntents({ emails, linkedin }: CampaignData): Map<string, string> {
  const messages = [
    ...emails.map(({ prospectId, sentAt, reply }) => ({ prospectId, at: sentAt, intent: reply?.intent })),
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

/** Returns the persons whose email bounced, or was refused during SMTP, in one of these campaigns. */
function findBouncedPersons(campaigns: readonly CampaignData[]): Set<string> {
  const prospectIds = getProspectIds(
    campaigns.flatMap(campaign => [
      ...campaign.emails.filter(({ deliveryReason = '' }) => deliveryReason.includes('reached: hard')),
      ...getRefusedEmails(campaign),
    ]),
  )
  const prospects = campaigns.flatMap(campaign => campaign.prospects)
  return new Set(prospects.filter(({ id }) => prospectIds.has(id)).map(({ personId }) => personId))
}

/**
 * Returns contradictions between prospects' status and what they did, as messages. `campaigns` are all campaigns that
 * contact the same people.
 */
export function findContradictions(
  campaign: CampaignData,
  campaigns: readonly CampaignData[] = [campaign],
): string[] {
  // Like a reply, a meeting ends the sequence, even if the meeting is cancelled later.
  const repliedIds = getProspectIds([...getReplies(campaign), ...campaign.meetings])
  const bounced = findBouncedPersons(campaigns)
  // A step whose email bounced may be sent again, to another address.
  const arrived = getSentEmails(campaign.emails).filter(
    ({ deliveryReason = '' }) => !deliveryReason.includes('reached: hard'),
  )
  const emailCounts = count(arrived, ({ prospectId }) => prospectId)
  const intents = findIntents(campaign)
  const found = campaign.prospects.flatMap(({ id, personId, person, status, intent, step = 0 }) => {
    const hasReplied = repliedIds.has(id)
    const reportIf = (condition: boolean, message: string) =>
      condition ? [`${person?.email} ${message}`] : []
    return [
      ...reportIf(status === 'replied' && !hasReplied, 'has status replied but no reply'),
      ...reportIf(
        // An erased person, who has no address, may still reply.
        hasReplied && !['replied', 'opted_out'].includes(status!) && !!person?.email,
        `replied but has status ${status}`,
      ),
      ...reportIf(status === 'bounced' && !bounced.has(personId), 'has status bounced but no bounced email'),
      ...reportIf(status === 'pending' && !!emailCounts[id], 'has status pending but was sent an email'),
      ...reportIf((emailCounts[id] ?? 0) > step, `received ${emailCounts[id]} emails in ${step} steps`),
      ...reportIf(
        intents.get(id) !== intent,
        `has intent ${intent} but the last classified message has intent ${intents.get(id)}`,
      ),
    ]
  })
  const ids = new Set(campaign.prospects.map(({ id }) => id))
  const foreignMessages = [...campaign.emails, ...campaign.linkedin].filter(
    ({ prospectId }) => prospectId !== undefined && !ids.has(prospectId),
  )
  return [
    ...found,
    ...foreignMessages.map(({ id }) => `message ${id} belongs to no prospect of the campaign`),
  ]
}

const emailMetrics = ['sent', 'delivered', 'bouncedHard', 'bouncedSoft', 'blocked', 'refused'] as const
const metrics = [
  ...emailMetrics,
  'replied',
  'positive',
  'autoReplied',
  'optedOut',
  'complaints',
  'meetings',
] as const
type Metrics = Record<(typeof metrics)[number], number>

/** Returns messages about statistics whose parts don't add up to the total. */
export function findWrongSums({ steps, days, outsideSteps, ...stats }: Stats): string[] {
  const sumParts = (parts: Metrics[], name: (typeof metrics)[number]) =>
    parts.reduce((sum, part) => sum + part[name], 0)
  const isUnbalanced = ({ sent, delivered, bouncedHard, bouncedSoft, blocked }: Metrics) =>
    sent !== delivered + bouncedHard + bouncedSoft + blocked
  const variants = steps.flatMap(step => step.variants)
  return [
    ...metrics
      .filter(name => sumParts(steps, name) + ((outsideSteps as Partial<Metrics>)[name] ?? 0) !== stats[name])
      .map(name => `${name}: the sum over steps and outsideSteps differs from the total`),
    ...[stats, ...steps, ...variants, ...days]
      .filter(isUnbalanced)
      .map(part => `sent is not delivered plus bounced: ${JSON.stringify(part)}`),
    ...steps.flatMap(step =>
      // Calls, and invitations without a note, have no variants.
      (step.calls || step.tasks ? emailMetrics : ([...emailMetrics, 'replied', 'autoReplied'] as const))
        .filter(name => sumParts(step.variants, name) !== step[name])
        .map(name => `${name}: the sum over the variants of step ${step.position} differs from the step`),
    ),
    ...(['sent', 'replied', 'autoReplied', 'optedOut', 'complaints'] as const)
      .filter(name => days.reduce((sum, day) => sum + day[name], 0) !== stats[name])
      .map(name => `${name}: the sum over days differs from the total`),
  ]
}
