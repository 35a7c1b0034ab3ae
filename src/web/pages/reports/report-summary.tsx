import type { Output } from '../../../contract/index.ts'
import { CountFigure, RateFigure } from '../../ui/changing-figures.tsx'
import { getBounced, type Numbers } from './report-columns.ts'

/** Shows the totals of the period and, if there is a comparison, their change from the previous period. */
export function ReportSummary({ total }: { total: Output<'getReport'>['total'] }) {
  const { before } = total
  const count = (label: string, get: (numbers: Numbers) => number) => (
    <CountFigure label={label} last={get(total)} before={before ? get(before) : null} />
  )
  const isUsed = (get: (numbers: Numbers) => number) => get(total) + (before ? get(before) : 0) > 0
  const hasLinkedin = isUsed(({ invited, linkedinSent }) => invited + linkedinSent)
  return (
    <dl
      aria-label="Totals"
      className="grid grid-cols-2 gap-x-3 gap-y-4 rounded-card border border-line bg-surface p-4 narrow:grid-cols-4 narrow:max-triple:has-[>:nth-child(9)]:grid-cols-5 narrow:p-5 triple:grid-cols-[repeat(auto-fit,minmax(7rem,1fr))] print:grid-cols-5"
    >
      {count('People contacted', ({ contacted }) => contacted)}
      {count('Emails sent', ({ sent }) => sent)}
      {count('Bounced', getBounced)}
      <RateFigure
        label="Reply rate"
        last={total.rates.replied}
        before={before ? before.rates.replied : null}
      />
      {count('Replies', ({ replied }) => replied)}
      {count('Positive replies', ({ positive }) => positive)}
      {count('Opted out', ({ optedOut }) => optedOut)}
      {count('Meetings', ({ meetings }) => meetings)}
      {hasLinkedin && count('Invitations accepted', ({ accepted }) => accepted)}
      {isUsed(({ callsPlaced }) => callsPlaced) &&
        count('Calls answered', ({ callsAnswered }) => callsAnswered)}
    </dl>
  )
}
