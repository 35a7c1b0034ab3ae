import type { reportGroups } from '../../../contract/reports.ts'

// Separate from the page, so that the router can read the URL without loading it.

export type ReportGroup = (typeof reportGroups)[number]

export const periodLabels = {
  'this-week': 'This week',
  'last-week': 'Last week',
  'this-month': 'This month',
  'last-month': 'Last month',
  '30-days': 'Last 30 days',
  '90-days': 'Last 90 days',
}
export type Period = keyof typeof periodLabels

export const DEFAULT_PERIOD = '30-days'

/** The settings of a report in the URL. Custom days replace the period. */
export type ReportSearch = {
  period?: Period
  from?: string
  to?: string
  group?: ReportGroup
  chart?: string
  sort?: string
  order?: 'asc'
  compare?: 'off'
} & ReportFilters

export type ReportFilters = { campaignId?: string; repId?: string; mailboxId?: string }

export const DEFAULT_GROUP = 'campaign'

export const groupLabels: Record<ReportGroup, string> = {
  campaign: 'Campaign',
  step: 'Step',
  variant: 'Variant',
  rep: 'Rep',
  mailbox: 'Sender',
  intent: 'Intent',
  day: 'Day',
  week: 'Week',
  recipientDomain: 'Recipient domain',
}

/** Validates the settings from the URL. */
export function parseReportSearch(search: Record<string, unknown>): ReportSearch {
  const { period, from, to, group, compare, order } = search
  const isGroup = isLabeled(groupLabels, group)
  const isPeriod = isLabeled(periodLabels, period)
  const text = (name: 'campaignId' | 'repId' | 'mailboxId' | 'chart' | 'sort') =>
    search[name] ? { [name]: String(search[name]) } : {}
  return {
    ...(isDay(from) && isDay(to) ? { from, to } : isPeriod ? { period: period as Period } : {}),
    ...(isGroup && { group: group as ReportGroup }),
    ...text('chart'),
    ...text('sort'),
    ...(order === 'asc' && { order }),
    ...(compare === 'off' && { compare }),
    ...text('campaignId'),
    ...text('repId'),
    ...text('mailboxId'),
  }
}

const isLabeled = (labels: object, value: unknown): boolean =>
  typeof value === 'string' && Object.hasOwn(labels, value)

export const isDay = (value: unknown): value is string =>
  typeof value === 'string' &&
  /^2\d{3}-\d\d-\d\d$/.test(value) &&
  !Number.isNaN(new Date(`${value}T00:00:00Z`).getTime())

export const getFilters = ({ campaignId, repId, mailboxId }: ReportSearch): ReportFilters => ({
  ...(campaignId && { campaignId }),
  ...(repId && { repId }),
  ...(mailboxId && { mailboxId }),
})
