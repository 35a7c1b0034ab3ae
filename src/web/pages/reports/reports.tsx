import { getRouteApi, Link } from '@tanstack/react-router'
import type { Output } from '../../../contract/index.ts'
import { useOperation } from '../../api.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { getDateIn } from '../../ui/days.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { Skeleton, TableSkeleton } from '../../ui/skeleton.tsx'
import { Definitions } from './definitions.tsx'
import { countDays, type Days, formatDays, getDays, getDaysBefore } from './periods.ts'
import { ReportChart } from './report-chart.tsx'
import { isEmpty } from './report-columns.ts'
import { ReportGroups } from './report-groups.tsx'
import { ReportSummary } from './report-summary.tsx'
import { ReportToolbar, useFilterLabels } from './report-toolbar.tsx'
import { DEFAULT_PERIOD, getFilters, type ReportSearch } from './search-params.ts'

const route = getRouteApi('/shell/reports')

/** Beyond this many days, each bar represents a week. */
const MAX_DAILY_BARS = 62

/** Shows the results of a period over time and by group, with those of the previous period. */
export function ReportsPage() {
  const search = route.useSearch()
  const account = useOperation('getAccount', {})
  const days = account.data && findDays(search, getDateIn(new Date(), account.data.timezone))
  const isWeekly = search.period === 'last-week'
  return (
    <div className="[page:report]">
      <Page
        title={isWeekly ? 'Weekly report' : 'Reports'}
        intro={days && <ReportIntro account={account.data} days={days} search={search} />}
        action={
          <Button className="print:hidden" onClick={() => print()}>
            Print
          </Button>
        }
      >
        <ReportToolbar days={days} />
        <Loaded query={{ ...account, data: days }} skeleton={<ReportSkeleton />}>
          {days => <PeriodReport days={days} />}
        </Loaded>
      </Page>
    </div>
  )
}

const findDays = ({ period, from, to }: ReportSearch, today: string): Days =>
  from && to ? { from, to } : getDays(period ?? DEFAULT_PERIOD, today)

type ReportIntroProps = { account: Output<'getAccount'>; days: Days; search: ReportSearch }

/** Shows the account, days and filters of the report. */
function ReportIntro({ account: { name, timezone }, days, search }: ReportIntroProps) {
  const filters = Object.values(useFilterLabels(search)).filter(Boolean)
  const compared = search.compare === 'off' ? '' : `, compared with ${formatDays(getDaysBefore(days))}`
  return (
    <>
      {name}, {formatDays(days)}
      {compared}. Time zone: {timezone.replaceAll('_', ' ')}.
      {filters.length > 0 && <span className="hidden print:inline"> {filters.join(', ')}.</span>}
    </>
  )
}

function PeriodReport({ days }: { days: Days }) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const filters = getFilters(search)
  const overTime = useOperation('getReport', {
    ...days,
    ...filters,
    compare: search.compare !== 'off',
    groupBy: countDays(days) > MAX_DAILY_BARS ? 'week' : 'day',
  })
  return (
    <Loaded query={overTime} skeleton={<ReportSkeleton />}>
      {report =>
        isEmpty(report.total) ? (
          <NoMessages search={search} />
        ) : (
          <div className="grid grid-cols-1 gap-5">
            <ReportSummary total={report.total} />
            <ReportChart
              report={report}
              chosen={search.chart}
              onChoose={chart => void navigate({ search: { ...search, chart }, replace: true })}
            />
            <ReportGroups days={days} />
            <Definitions />
          </div>
        )
      }
    </Loaded>
  )
}

function NoMessages({ search }: { search: ReportSearch }) {
  const { campaignId, repId, mailboxId, ...others } = search
  const { period, from, to, ...unlimited } = search
  return (
    <EmptyState title="No messages in this period">
      Sent emails, replies, LinkedIn messages and calls appear here.
      {campaignId || repId || mailboxId ? (
        <Link to="/reports" search={others} className={buttonClass()}>
          Clear filters
        </Link>
      ) : period === '90-days' ? (
        <Link to="/campaigns" className={buttonClass()}>
          Show campaigns
        </Link>
      ) : (
        <Link to="/reports" search={{ ...unlimited, period: '90-days' }} className={buttonClass()}>
          Show the last 90 days
        </Link>
      )}
    </EmptyState>
  )
}

const ReportSkeleton = () => (
  <div className="grid grid-cols-1 gap-5">
    <Skeleton className="h-24" />
    <Skeleton className="h-40" />
    <TableSkeleton />
  </div>
)
