import { downloadFile, toCsv } from '../../components/download.ts'
import type { ReportColumn } from './report-columns.ts'
import type { ReportRow } from './report-rows.ts'

/** Saves the rows and columns of the table as CSV. Rates are from 0 to 1. */
export function downloadReport(name: string, head: string, columns: ReportColumn[], rows: ReportRow[]): void {
  const hasInterval = rows.some(({ replyInterval }) => replyInterval)
  const isCompared = rows.some(({ before }) => before)
  const headings = columns.flatMap(({ head, isRate }) => [
    head,
    ...(isRate && hasInterval ? [`${head}, lower bound (95%)`, `${head}, upper bound (95%)`] : []),
    ...(isCompared ? [`${head}, previous period`] : []),
  ])
  const lines = rows.map(({ label, numbers, before, replyInterval }) => [
    label,
    ...columns.flatMap(({ get, isRate }) => [
      toCell(get(numbers)),
      ...(isRate && hasInterval ? [toCell(replyInterval?.low), toCell(replyInterval?.high)] : []),
      ...(isCompared ? [toCell(before && get(before))] : []),
    ]),
  ])
  downloadFile(`${name}.csv`, 'text/csv', toCsv([[head, ...headings], ...lines]))
}

const toCell = (value: number | undefined): string => (value === undefined ? '' : String(value))
