import type { Output } from '../../../contract/index.ts'
import type { ReplyIntent } from '../../../contract/reply-agent.ts'
import { replyIntents } from '../../components/reply-intents.ts'
import { formatDay } from '../../ui/time.tsx'
import { isEmpty, type Numbers, type ReportColumn } from './report-columns.ts'
import { groupLabels, type ReportGroup } from './search-params.ts'

type Report = Output<'getReport'>
type Group = Report['data'][number]

export type ReportRow = Pick<Group, 'campaignId' | 'replyInterval'> & {
  id: string
  label: string
  numbers: Numbers
  /** The numbers of the previous period; absent without a comparison, or if nothing happened then. */
  before?: Numbers
}

/** Labels of rows without a group. */
const restLabels: Record<ReportGroup, string> = {
  campaign: 'Outside campaigns',
  step: 'Outside steps',
  variant: 'Outside steps',
  rep: 'Without a rep',
  mailbox: 'Without a sender',
  intent: 'Not classified',
  day: '',
  week: '',
  recipientDomain: 'Without an email',
}

/** Reports whether groups can be compared: days and weeks have no counterpart in the previous period. */
export const isComparable = (group: ReportGroup): boolean => group !== 'day' && group !== 'week'

/** Returns a row for each group, in the order chosen. */
export function toRows(group: ReportGroup, report: Report, order: Order): ReportRow[] {
  const rows = report.data.map((row): ReportRow => {
    const campaignId = group === 'campaign' ? row.key : row.campaignId
    return {
      id: row.key ?? 'rest',
      label: getLabel(group, row),
      numbers: row,
      ...(campaignId && { campaignId }),
      ...(row.replyInterval && { replyInterval: row.replyInterval }),
      ...(row.before && !isEmpty(row.before) && { before: row.before }),
    }
  })
  const total = {
    id: 'total',
    label: 'Total',
    numbers: report.total,
    ...(report.total.before && { before: report.total.before }),
  }
  return [...sort(rows, order), total]
}

type Order = { column: ReportColumn | undefined; isAscending: boolean }

function sort(rows: ReportRow[], { column, isAscending }: Order): ReportRow[] {
  if (!column) return rows
  const rank = ({ numbers }: ReportRow) => column.get(numbers) ?? -1
  return rows.toSorted((a, b) => (isAscending ? rank(a) - rank(b) : rank(b) - rank(a)))
}

function getLabel(group: ReportGroup, { key, name }: Group): string {
  if (key === undefined) return restLabels[group]
  if (group === 'day') return weekdayAndDay.format(new Date(key))
  if (group === 'week') return `Week of ${formatDay(key)}`
  if (group === 'intent') return replyIntents[key as ReplyIntent]?.[0] ?? key
  return name ?? (group === 'recipientDomain' ? key : `Deleted ${groupLabels[group].toLowerCase()}`)
}

const weekdayAndDay = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
})
