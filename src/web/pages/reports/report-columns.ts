import type { Output } from '../../../contract/index.ts'
import { formatNumber, formatPercent } from '../../ui/time.tsx'
import type { ReportGroup } from './search-params.ts'

type Report = Output<'getReport'>
export type Numbers = Omit<Report['total'], 'before'>
type Interval = Report['data'][number]['replyInterval']

/** A column of the report. `get` returns undefined when there is nothing to divide by. */
export type ReportColumn = {
  key: string
  head: string
  get: (numbers: Numbers) => number | undefined
  isRate?: true
  isMinor?: true
  isLeastImportant?: true
  /** Shown only if its total is not zero. */
  isOptional?: true
}

export const getBounced = ({ bouncedHard, bouncedSoft, blocked }: Numbers): number =>
  bouncedHard + bouncedSoft + blocked

/** Reports whether nothing was counted. */
export const isEmpty = (numbers: Numbers): boolean =>
  Object.values(numbers).every(value => typeof value !== 'number' || value === 0)

const columns: ReportColumn[] = [
  { key: 'contacted', head: 'Contacted', get: ({ contacted }) => contacted },
  { key: 'sent', head: 'Sent', get: ({ sent }) => sent, isMinor: true },
  { key: 'bounced', head: 'Bounced', get: getBounced, isLeastImportant: true },
  { key: 'replied', head: 'Replied', get: ({ replied }) => replied, isMinor: true },
  { key: 'replyRate', head: 'Reply rate', get: ({ rates }) => rates.replied, isRate: true },
  { key: 'positive', head: 'Positive', get: ({ positive }) => positive },
  { key: 'optedOut', head: 'Opted out', get: ({ optedOut }) => optedOut, isLeastImportant: true },
  { key: 'meetings', head: 'Meetings', get: ({ meetings }) => meetings, isMinor: true },
  {
    key: 'invited',
    head: 'Invited',
    get: ({ invited }) => invited,
    isLeastImportant: true,
    isOptional: true,
  },
  {
    key: 'accepted',
    head: 'Accepted',
    get: ({ accepted }) => accepted,
    isLeastImportant: true,
    isOptional: true,
  },
  {
    key: 'linkedinSent',
    head: 'Messages',
    get: ({ linkedinSent }) => linkedinSent,
    isLeastImportant: true,
    isOptional: true,
  },
  {
    key: 'callsPlaced',
    head: 'Calls',
    get: ({ callsPlaced }) => callsPlaced,
    isLeastImportant: true,
    isOptional: true,
  },
  {
    key: 'callsAnswered',
    head: 'Answered',
    get: ({ callsAnswered }) => callsAnswered,
    isLeastImportant: true,
    isOptional: true,
  },
]

/** The columns of the report by intent. It has no rates, because everyone with an intent has replied. */
const intentColumns: ReportColumn[] = [
  { key: 'replied', head: 'Replied', get: ({ replied }) => replied },
  { key: 'autoReplied', head: 'Automatic replies', get: ({ autoReplied }) => autoReplied },
  { key: 'optedOut', head: 'Opted out', get: ({ optedOut }) => optedOut, isMinor: true },
  { key: 'meetings', head: 'Meetings', get: ({ meetings }) => meetings, isMinor: true },
]

/** Returns the columns of a grouping, without LinkedIn or call columns when there was no such activity. */
export const getColumns = (group: ReportGroup, total: Numbers): ReportColumn[] =>
  group === 'intent' ? intentColumns : columns.filter(({ get, isOptional }) => !isOptional || get(total))

export function formatValue({ get, isRate }: ReportColumn, numbers: Numbers): string {
  const value = get(numbers)
  return value === undefined ? '–' : isRate ? formatPercent(value) : formatNumber(value)
}

export const formatInterval = (interval: Interval): string =>
  interval ? `${formatPercent(interval.low)}–${formatPercent(interval.high)}` : ''
