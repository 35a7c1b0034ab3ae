import type { Output } from '../../../contract/index.ts'
import { BarChart } from '../../ui/bar-chart.tsx'
import { FilterOptions, FilterSelect } from '../../ui/filter-select.tsx'
import { getBounced, type Numbers } from './report-columns.ts'

type Props = {
  /** By day or week. */
  report: Output<'getReport'>
  /** The number chosen in the URL. */
  chosen: string | undefined
  onChoose: (name: string) => void
}

/** Numbers that add up over days, unlike the people contacted. */
const numbers: Record<string, [label: string, get: (numbers: Numbers) => number]> = {
  sent: ['Emails sent', ({ sent }) => sent],
  replied: ['Replies', ({ replied }) => replied],
  positive: ['Positive replies', ({ positive }) => positive],
  meetings: ['Meetings', ({ meetings }) => meetings],
  bounced: ['Bounced', getBounced],
  optedOut: ['Opted out', ({ optedOut }) => optedOut],
  invited: ['LinkedIn invitations', ({ invited }) => invited],
  linkedinSent: ['LinkedIn messages', ({ linkedinSent }) => linkedinSent],
  callsPlaced: ['Calls', ({ callsPlaced }) => callsPlaced],
}

/** Shows a chart of one of the report's numbers over time. Offers the numbers that are not zero. */
export function ReportChart({ report, chosen = '', onChoose }: Props) {
  const used = Object.keys(numbers).filter(name => numbers[name]![1](report.total) > 0)
  const name = Object.hasOwn(numbers, chosen) ? chosen : (used[0] ?? 'sent')
  const [label, get] = numbers[name]!
  const labels = Object.fromEntries([...new Set([...used, name])].map(each => [each, numbers[each]![0]]))
  return (
    <BarChart
      label={label}
      unit={report.groupBy === 'week' ? 'week' : 'day'}
      bars={report.data.map(row => ({ date: row.key!, count: get(row) }))}
      control={
        Object.keys(labels).length > 1 && (
          <FilterSelect label="Chart" value={name} onChange={onChoose}>
            <FilterOptions labels={labels} />
          </FilterSelect>
        )
      }
    />
  )
}
