import type { ReactNode } from 'react'
import { LoadMore, type LoadMoreProps } from './load-more.tsx'
import { listKeys } from './roving-focus.ts'
import { useVirtualRows } from './virtual-rows.ts'

export type Column<T> = {
  /** Defaults to the heading. */
  key?: string
  /** Column heading; empty for a column of buttons. */
  head: string
  cell: (row: T) => ReactNode
  isNumber?: boolean
  /** Hidden below 1024 px. */
  isMinor?: boolean
  /** Hidden below 1408 px. */
  isLeastImportant?: boolean
  /** Placed at the end of the first line on narrow screens, next to the first cell. */
  isBesideFirst?: boolean
  sort?: ColumnSort
}

/** Sort state of a column; `direction` is undefined while the list is sorted by another column. */
export type ColumnSort = { direction: 'ascending' | 'descending' | undefined; onSort: () => void }

type Props<T> = {
  label: string
  columns: Column<T>[]
  rows: T[]
  more?: LoadMoreProps
}

/**
 * Shows a table with keyboard navigation: arrow keys, `j`, `k`, Home and End move between rows, Enter opens a row and
 * `x` selects it. Below 720 px each row becomes two lines: the first cell, then the others.
 */
export function Table<T extends { id: string }>({ label, columns, rows, more }: Props<T>) {
  const { bodyRef, measure, above, below, visible } = useVirtualRows(rows)
  const hasCellBesideFirst = columns.some(({ isBesideFirst }) => isBesideFirst)
  return (
    <>
      <table
        aria-label={label}
        aria-rowcount={rows.length + 1}
        {...listKeys}
        className="block w-full rounded-card border border-line bg-surface text-sm narrow:table narrow:border-separate narrow:border-spacing-0 print:table print:border-separate print:border-spacing-0"
      >
        <thead className="sr-only narrow:not-sr-only narrow:table-header-group print:not-sr-only print:table-header-group">
          <tr>
            {columns.map(column => (
              <th
                key={column.key ?? column.head}
                scope="col"
                aria-sort={column.sort?.direction}
                className={`${headClass(column)} ${cornerClass(column, columns)}`}
              >
                <Head column={column} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={bodyRef} className="block narrow:table-row-group print:table-row-group">
          <Spacer height={above} />
          {visible.map(({ row, index }, position) => (
            <tr
              key={row.id}
              ref={measure}
              data-index={index}
              aria-rowindex={index + 2}
              tabIndex={position === 0 ? 0 : -1}
              className="flex scroll-mt-10 flex-wrap items-center gap-x-3 gap-y-0.5 border-line border-b px-3 py-2 outline-offset-[-2px] last:border-0 hover:bg-sunken/50 max-narrow:has-[input[type=checkbox]]:pl-9.5 focus-visible:[outline:2px_solid_var(--color-accent)] narrow:table-row narrow:p-0 print:table-row print:break-inside-avoid"
            >
              {columns.map((column, columnIndex) => (
                <td
                  key={column.key ?? column.head}
                  className={cellClass(column, columnIndex, hasCellBesideFirst)}
                >
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
          <Spacer height={below} />
        </tbody>
      </table>
      {more && <LoadMore {...more} count={rows.length} />}
    </>
  )
}

/**
 * Renders a heading, with a button if the column can be sorted. Narrow screens hide headings, so the button must not be
 * focusable there. Chromium repeats the text of headings on each printed page, but not their buttons.
 */
function Head({ column: { head, sort } }: { column: Column<never> }) {
  if (!sort) return head || <span className="sr-only">Actions</span>
  const { direction, onSort } = sort
  return (
    <>
      <span className="narrow:hidden print:inline">{head}</span>
      <button
        type="button"
        onClick={onSort}
        className="hidden rounded-control font-medium hover:text-text narrow:inline print:hidden"
      >
        {head}
        {direction && <span aria-hidden="true">{direction === 'ascending' ? ' ↑' : ' ↓'}</span>}
      </button>
    </>
  )
}

/** Reserves the space of rows that aren't rendered. */
const Spacer = ({ height }: { height: number }) => height > 0 && <tr style={{ height }} />

const headClass = (column: Column<never>): string =>
  `sticky top-0 z-1 h-9 whitespace-nowrap border-line border-b bg-surface px-3 font-medium text-muted first:rounded-tl-card last:rounded-tr-card print:static print:px-2 ${column.isNumber ? 'text-right' : 'text-left'} ${widthClass(column)}`

/** Rounds the corner of the last heading shown at each width. Headings stick, so the table can't clip them. */
const cornerClass = (column: Column<never>, columns: Column<never>[]): string =>
  [
    columns.findLast(({ isLeastImportant }) => !isLeastImportant) === column && 'max-triple:rounded-tr-card',
    columns.findLast(({ isLeastImportant, isMinor }) => !isLeastImportant && !isMinor) === column &&
      'max-wide:rounded-tr-card',
  ]
    .filter(Boolean)
    .join(' ')

const cellClass = (
  { head, isNumber, isMinor, isLeastImportant, isBesideFirst }: Column<never>,
  columnIndex: number,
  hasCellBesideFirst: boolean,
): string =>
  [
    'not-print:max-narrow:empty:hidden narrow:h-10 narrow:border-line narrow:border-b narrow:px-3 narrow:py-1.5 narrow:[tr:last-child>&]:border-0 print:border-line print:border-b print:px-2 print:py-1.5',
    columnIndex === 0
      ? `min-w-0 flex-1 font-medium narrow:font-normal ${hasCellBesideFirst ? 'basis-[calc(100%-6rem)]' : 'basis-full'}`
      : `text-muted narrow:text-text ${hasCellBesideFirst && !isBesideFirst ? 'order-1' : ''}`,
    head === '' ? 'ml-auto text-right' : '',
    isNumber ? 'tabular-nums narrow:text-right print:text-right' : '',
    widthClass({ isMinor, isLeastImportant }),
  ].join(' ')

/** Hides less important columns on narrow screens. Paper has room for every column. */
const widthClass = ({
  isMinor,
  isLeastImportant,
}: Pick<Column<never>, 'isMinor' | 'isLeastImportant'>): string =>
  isLeastImportant
    ? 'hidden triple:table-cell print:table-cell'
    : isMinor
      ? 'hidden wide:table-cell print:table-cell'
      : ''
