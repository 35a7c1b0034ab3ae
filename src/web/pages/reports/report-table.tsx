import { Link } from '@tanstack/react-router'
import { type Column, type ColumnSort, Table } from '../../ui/table.tsx'
import { formatInterval, formatValue, type ReportColumn } from './report-columns.ts'
import type { ReportRow } from './report-rows.ts'

type Props = {
  label: string
  /** Heading of the first column. */
  head: string
  rows: ReportRow[]
  columns: ReportColumn[]
  getSort: (column: ReportColumn) => ColumnSort
}

/** Shows the numbers of each group and, below them, those of the previous period. */
export const ReportTable = ({ label, head, rows, columns, getSort }: Props) => (
  <Table
    label={label}
    rows={rows}
    columns={[
      { head, cell: row => <Name row={row} /> },
      ...columns.map(
        (column): Column<ReportRow> => ({
          key: column.key,
          head: column.head,
          isNumber: true,
          isMinor: column.isMinor ?? false,
          isLeastImportant: column.isLeastImportant ?? false,
          sort: getSort(column),
          cell: row => <Value row={row} column={column} />,
        }),
      ),
    ]}
  />
)

const Name = ({ row: { id, label, campaignId } }: { row: ReportRow }) =>
  campaignId ? (
    <Link
      to="/campaigns/$campaignId"
      params={{ campaignId }}
      className="wrap-anywhere underline-offset-2 hover:underline"
    >
      {label}
    </Link>
  ) : (
    <span className={`wrap-anywhere ${id === 'total' ? 'font-medium' : ''}`}>{label}</span>
  )

/** Shows a number, followed by its name on narrow screens, which have no headings. */
function Value({ row, column }: { row: ReportRow; column: ReportColumn }) {
  const { id, numbers, before, replyInterval } = row
  return (
    <>
      <span className={id === 'total' ? 'font-medium' : ''}>{formatValue(column, numbers)}</span>
      <span className="narrow:hidden print:hidden"> {column.head.toLowerCase()}</span>
      {column.isRate && replyInterval && (
        <span className="whitespace-nowrap text-muted text-xs narrow:block print:block">
          {' '}
          {formatInterval(replyInterval)}
        </span>
      )}
      {before && (
        <span className="whitespace-nowrap text-muted text-xs narrow:block print:block">
          {' '}
          was {formatValue(column, before)}
        </span>
      )}
    </>
  )
}
