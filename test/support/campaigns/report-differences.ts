import type { Output, RawInput } from '../../../src/contract/index.ts'
import { replyIntents } from '../../../src/contract/reply-agent.ts'
import { reportGroups } from '../../../src/contract/reports.ts'
import type { Caller } from '../app.ts'
import { type CampaignData, getSentEmails, recountIntents } from './recount.ts'

type Stats = Output<'getCampaignStats'>
type Report = Output<'getReport'>
type Row = Report['data'][number]
type Counts = Record<string, number>

const emailMetrics = ['sent', 'delivered', 'bouncedHard', 'bouncedSoft', 'blocked', 'refused'] as const
/** Metrics that campaign statistics also include. */
const sharedMetrics = [
  ...emailMetrics,
  ...(['replied', 'positive', 'autoReplied', 'optedOut', 'complaints', 'meetings'] as const),
]
const reportOnlyMetrics = ['invited', 'accepted', 'linkedinSent', 'callsPlaced', 'callsAnswered'] as const
/** Metrics whose sum over all groups is the total. */
const additiveMetrics = [...sharedMetrics, ...reportOnlyMetrics]

/** Metrics that the list of campaigns also includes. */
const listedMetrics = ['contacted', 'replied', 'positive']

type CheckedCampaign = { stats: Stats; lists: CampaignData; repId: string; mailboxId: string }

/** Finds report metrics that differ from campaign statistics, from the sum of their parts, or from the messages. */
export async function compareReports(
  { call }: Caller,
  { campaigns, otherCalls }: { campaigns: CheckedCampaign[]; otherCalls: CampaignData['calls'] },
  { from, to, split }: { from: string; to: string; split: string },
): Promise<{ total: Report['total']; differences: string[] }> {
  const get = (more: RawInput<'getReport'> = {}) => call('getReport', { from, to, ...more })
  const { total } = await get()
  const reports = await Promise.all(reportGroups.map(groupBy => get({ groupBy })))
  const byGroup = (groupBy: string) => reports.find(report => report.groupBy === groupBy)!.data
  const comparisons = reports.find(({ groupBy }) => groupBy === 'variant')!.comparisons!
  const parts = await Promise.all([get({ to: split }), get({ from: addDay(split) })])
  const inOtherTimezone = await get({ timezone: 'Pacific/Kiritimati' })
  const replied = sum(
    campaigns.map(({ lists }) => recountIntents(lists)),
    ['', ...replyIntents],
  )
  const all = recount({
    emails: campaigns.flatMap(({ lists }) => lists.emails),
    tasks: campaigns.flatMap(({ lists }) => lists.tasks),
    calls: [...campaigns.flatMap(({ lists }) => lists.calls), ...otherCalls],
  })
  const differences = [
    ...findDifferences(
      'total and its two periods',
      total,
      sum(parts.map(part => part.total)),
      additiveMetrics,
    ),
    ...findDifferences('total and another time zone', inOtherTimezone.total, total),
    ...findDifferences(
      'replies by intent and messages',
      Object.fromEntries(byGroup('intent').map(({ key = '', replied }) => [key, replied])),
      replied,
    ),
    ...findDifferences('total and messages', total, all),
    ...reports.flatMap(({ groupBy, data, total: groupedTotal }) => [
      ...findDifferences(`total and the sum by ${groupBy}`, total, sum(data), additiveMetrics),
      ...findDifferences(`total alone and by ${groupBy}`, total, groupedTotal),
      ...data.flatMap(findImpossibleRates),
    ]),
    ...byGroup('day').flatMap((row, n) =>
      findDifferences(
        `day ${row.key}`,
        row,
        sum(campaigns.map(({ stats }) => stats.days[n]!)),
        sharedMetrics,
      ),
    ),
  ]
  const { data: listed } = await call('listCampaigns', { numbers: true, limit: 100 })
  for (const [n, { stats, lists, repId, mailboxId }] of campaigns.entries()) {
    const { campaignId } = stats
    const listedValues = listed.find(({ id }) => id === campaignId)?.numbers
    // Tests each campaign's filter with a different grouping.
    const report = await get({ campaignId, groupBy: reportGroups[n % reportGroups.length]! })
    // Each campaign has its own rep and mailbox.
    const key = { repId, mailboxId }
    const filter = n % 2 ? 'repId' : 'mailboxId'
    const filtered = await get({ [filter]: key[filter] })
    const group = byGroup(n % 2 ? 'rep' : 'mailbox')
    differences.push(
      ...findDifferences(`${filter} and its group`, find(group, key[filter]), filtered.total),
      ...findDifferences(`${filter} and its campaign`, filtered.total, stats, emailMetrics),
      ...findDifferences('total and statistics', report.total, stats, sharedMetrics),
      ...findDifferences('total and messages of a campaign', report.total, recount(lists)),
      ...findDifferences('list and total of a campaign', listedValues, report.total, listedMetrics),
      ...findDifferences(
        `total and the sum by ${report.groupBy} of a campaign`,
        report.total,
        sum(report.data),
        additiveMetrics,
      ),
      ...findDifferences('a campaign', find(byGroup('campaign'), campaignId), report.total),
      ...stats.steps.flatMap(step => [
        ...findDifferences(`step ${step.position}`, find(byGroup('step'), step.stepId), step, sharedMetrics),
        ...findDifferences(
          `comparison of step ${step.position}`,
          comparisons.find(({ stepId }) => stepId === step.stepId),
          step.comparison ?? {},
        ),
        ...step.variants.flatMap(variant =>
          findDifferences(
            `variant of step ${step.position}`,
            find(byGroup('variant'), variant.variantId),
            variant,
            sharedMetrics,
          ),
        ),
      ]),
    )
  }
  return { total, differences }
}

const findImpossibleRates = ({ key, rates }: Row): string[] =>
  Object.entries(rates).flatMap(([name, rate]) => (rate > 1 ? [`rate ${name} of ${key} is ${rate}`] : []))

const addDay = (date: string): string => Temporal.PlainDate.from(date).add({ days: 1 }).toString()

const find = (rows: Row[], key: string): Row | undefined => rows.find(row => row.key === key)

const sum = (rows: readonly object[], names: readonly string[] = additiveMetrics): Counts =>
  Object.fromEntries(
    names.map(name => [name, rows.reduce((total, row) => total + ((row as Counts)[name] ?? 0), 0)]),
  )

function findDifferences(
  label: string,
  left: object | undefined,
  right: object,
  names?: readonly string[],
): string[] {
  const [a, b] = [left as Counts | undefined, right as Counts]
  return (names ?? Object.keys(right))
    .filter(name => typeof b[name] === 'number' && (a?.[name] ?? 0) !== b[name])
    .map(name => `${name} of ${label}: ${a?.[name] ?? 0} and ${b[name]}`)
}

/** Computes the report-only metrics, and the number of prospects contacted, from the lists. */
function recount(lists: Pick<CampaignData, 'emails' | 'tasks' | 'calls'>): Counts {
  const done = (channel: string) =>
    lists.tasks.filter(task => task.channel === channel && task.status === 'completed')
  const placed = lists.calls.filter(
    ({ callType, outcome, status }) =>
      callType === 'outbound' &&
      (status === 'ended' ? !['withdrawn', 'refused'].includes(outcome!) : status !== 'queued'),
  )
  const [invitations, messages] = [done('linkedin_connect'), done('linkedin_message')]
  const reached = [...getSentEmails(lists.emails), ...invitations, ...messages, ...placed]
  return {
    contacted: new Set(reached.map(({ prospectId }) => prospectId)).size,
    invited: invitations.length,
    linkedinSent: messages.length,
    callsPlaced: placed.length,
    callsAnswered: placed.filter(({ outcome }) => outcome === 'answered').length,
  }
}
