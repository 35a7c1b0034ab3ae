import { getRouteApi } from '@tanstack/react-router'
import { useOperation } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import type { ColumnSort } from '../../ui/table.tsx'
import { formatNumber } from '../../ui/time.tsx'
import type { Days } from './periods.ts'
import { getColumns, type ReportColumn } from './report-columns.ts'
import { downloadReport } from './report-csv.ts'
import { isComparable, toRows } from './report-rows.ts'
import { ReportTable } from './report-table.tsx'
import { Groups } from './report-toolbar.tsx'
import { DEFAULT_GROUP, getFilters, groupLabels, type ReportSearch } from './search-params.ts'
import { VariantVerdicts } from './variant-verdicts.tsx'

const route = getRouteApi('/shell/reports')

const MAX_GROUPS = 1000

/** Shows the report by group as a table and as CSV, and the verdicts on variants. */
export function ReportGroups({ days }: { days: Days }) {
  const search = route.useSearch()
  const { group = DEFAULT_GROUP } = search
  const report = useOperation('getReport', {
    ...days,
    ...getFilters(search),
    groupBy: group,
    compare: search.compare !== 'off' && isComparable(group),
    limit: MAX_GROUPS,
  })
  const getSort = useSort(search)
  const columns = report.data && getColumns(group, report.data.total)
  const head = groupLabels[group]
  const rows =
    report.data && columns
      ? toRows(group, report.data, {
          column: columns.find(({ key }) => key === search.sort),
          isAscending: search.order === 'asc',
        })
      : undefined
  return (
    <section aria-label="By group" className="grid grid-cols-1 gap-3">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 print:hidden">
        <Groups />
        {rows && columns && (
          <Button onClick={() => downloadReport(`report-${days.from}-${days.to}`, head, columns, rows)}>
            Export CSV
          </Button>
        )}
      </div>
      <Loaded
        query={{
          data: rows && columns && { rows, columns },
          error: report.error,
          refetch: report.refetch,
        }}
        skeleton={<TableSkeleton />}
      >
        {({ rows, columns }) => (
          <ReportTable label={`By ${head.toLowerCase()}`} {...{ head, rows, columns, getSort }} />
        )}
      </Loaded>
      {report.data?.hasMore && (
        <p className="text-muted">
          The {formatNumber(MAX_GROUPS)} groups with the most people are shown. The total includes all groups.
        </p>
      )}
      {report.data && <VariantVerdicts report={report.data} />}
    </section>
  )
}

/**
 * Returns the sorting of a column. Clicks on its heading sort by the largest number first, then by the smallest, then
 * in the report's own order.
 */
function useSort({ sort, order, ...others }: ReportSearch): (column: ReportColumn) => ColumnSort {
  const navigate = route.useNavigate()
  return ({ key }) => ({
    direction: sort !== key ? undefined : order === 'asc' ? 'ascending' : 'descending',
    onSort: () => {
      const next = sort !== key ? { sort: key } : order === 'asc' ? {} : { sort: key, order: 'asc' as const }
      void navigate({ search: { ...others, ...next }, replace: true, resetScroll: false })
    },
  })
}
