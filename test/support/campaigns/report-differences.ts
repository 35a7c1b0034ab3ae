import type { Output, RawInput } from '../../../src/contract/index.ts'
import { replyIntents } from '../../../src/contract/reply-agent.ts'
import { reportGroups } from '../../../src/contract/reports.ts'
import type { Caller } from '../app.ts'
import { type CampaignData, recountIntents, sentMails } from './recount.ts'

type Stats = Output<'getCampaignStats'>
type Report = Output<'getReport'>
type Row = Report['data'][number]
type Counts = Record<string, number>

const mailNumbers = ['sent', 'delivered', 'bouncedHard', 'bouncedSoft', 'blocked', 'refused'] as const
/** Numbers that campaign statistics have, too. */
const shared = [
  ...mailNumbers,
  ...(['replied', 'positive', 'autoReplied', 'optedOut', 'complaints', 'meetings'] as const),
]
const ownNumbers = ['invited', 'accepted', 'linkedinSent', 'callsPlaced', 'callsAnswered'] as const
/** Numbers of which the groups add up to the total. */
const additive = [...shared, ...ownNumbers]

/** Numbers that the list of campaigns has, too. */
const listedNames = ['contacted', 'replied', 'positive']

type Checked = { stats: Stats; shown: CampaignData; repId: string; mailboxId: string }

/** Finds the numbers of an account's reports that differ from statistics, their parts or the messages. */
export async function compareReports(
  { call }: Caller,
  { campaigns, otherCalls }: { campaigns: Checked[]; otherCalls: CampaignData['calls'] },
  { from, to, split }: { from: string; to: string; split: string },
): Promise<{ total: Report['total']; differences: string[] }> {
  const get = (more: RawInput<'getReport'> = {}) => call('getReport', { from, to, ...more })
  const { total } = await get()
  const reports = await Promise.all(reportGroups.map(groupBy => get({ groupBy })))
  const byGroup = (groupBy: string) => reports.find(report => report.groupBy === groupBy)!.data
  const parts = await Promise.all([get({ to: split }), get({ from: addDay(split) })])
  const elsewhere = await get({ timezone: 'Pacific/Kiritimati' })
  const replied = sum(
    campaigns.map(({ shown }) => recountIntents(shown)),
    ['', ...replyIntents],
  )
  const all = recount({
    mails: campaigns.flatMap(({ shown }) => shown.mails),
    tasks: campaigns.flatMap(({ shown }) => shown.tasks),
    calls: [...campaigns.flatMap(({ shown }) => shown.calls), ...otherCalls],
  })
  const differences = [
    ...differ('total and its two periods', total, sum(parts.map(part => part.total)), additive),
    ...differ('total and another time zone', elsewhere.total, total),
    ...differ(
      'replies by intent and messages',
      Object.fromEntries(byGroup('intent').map(({ key = '', replied }) => [key, replied])),
      replied,
    ),
    ...differ('total and messages', total, all),
    ...reports.flatMap(({ groupBy, data, total: own }) => [
      ...differ(`total and the sum by ${groupBy}`, total, sum(data), additive),
      ...differ(`total alone and by ${groupBy}`, total, own),
      ...data.flatMap(findImpossibleRates),
    ]),
    ...byGroup('day').flatMap((row, n) =>
      differ(`day ${row.key}`, row, sum(campaigns.map(({ stats }) => stats.days[n]!)), shared),
    ),
  ]
  const { data: listed } = await call('listCampaigns', { numbers: true, limit: 100 })
  for (const [n, { stats, shown, repId, mailboxId }] of campaigns.entries()) {
    const { campaignId } = stats
    const listedNumbers = listed.find(({ id }) => id === campaignId)?.numbers
    // Each campaign checks its filter with another group.
    const own = await get({ campaignId, groupBy: reportGroups[n % reportGroups.length]! })
    // Each campaign has a rep and a mailbox of its own.
    const key = { repId, mailboxId }
    const filter = n % 2 ? 'repId' : 'mailboxId'
    const filtered = await get({ [filter]: key[filter] })
    const group = byGroup(n % 2 ? 'rep' : 'mailbox')
    differences.push(
      ...differ(`${filter} and its group`, find(group, key[filter]), filtered.total),
      ...differ(`${filter} and its campaign`, filtered.total, stats, mailNumbers),
      ...differ('total and statistics', own.total, stats, shared),
      ...differ('total and messages of a campaign', own.total, recount(shown)),
      ...differ('list and total of a campaign', listedNumbers, own.total, listedNames),
      ...differ(`total and the sum by ${own.groupBy} of a campaign`, own.total, sum(own.data), additive),
      ...differ('a campaign', find(byGroup('campaign'), campaignId), own.total),
      ...stats.steps.flatMap(step => [
        ...differ(`step ${step.position}`, find(byGroup('step'), step.stepId), step, shared),
        ...step.variants.flatMap(variant =>
          differ(
            `variant of step ${step.position}`,
            find(byGroup('variant'), variant.variantId),
            variant,
            shared,
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

const sum = (rows: readonly object[], names: readonly string[] = additive): Counts =>
  Object.fromEntries(
    names.map(name => [name, rows.reduce((total, row) => total + ((row as Counts)[name] ?? 0), 0)]),
  )

function differ(what: string, left: object | undefined, right: object, names?: readonly string[]): string[] {
  const [a, b] = [left as Counts | undefined, right as Counts]
  return (names ?? Object.keys(right))
    .filter(name => typeof b[name] === 'number' && (a?.[name] ?? 0) !== b[name])
    .map(name => `${name} of ${what}: ${a?.[name] ?? 0} and ${b[name]}`)
}

/** Counts from the lists the numbers that only reports have. */
function recount(shown: Pick<CampaignData, 'mails' | 'tasks' | 'calls'>): Counts {
  const done = (channel: string) =>
    shown.tasks.filter(task => task.channel === channel && task.status === 'completed')
  const placed = shown.calls.filter(
    ({ callType, outcome, status }) =>
      callType === 'outbound' &&
      (status === 'ended' ? !['withdrawn', 'refused'].includes(outcome!) : status !== 'queued'),
  )
  const [invitations, messages] = [done('linkedin_connect'), done('linkedin_message')]
  const reached = [...sentMails(shown.mails), ...invitations, ...messages, ...placed]
  return {
    contacted: new Set(reached.map(({ prospectId }) => prospectId)).size,
    invited: invitations.length,
    linkedinSent: messages.length,
    callsPlaced: placed.length,
    callsAnswered: placed.filter(({ outcome }) => outcome === 'answered').length,
  }
}
