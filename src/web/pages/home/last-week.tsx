import type { Output } from '../../../contract/index.ts'
import { useOperation } from '../../api.ts'
import { CountFigure, RateFigure } from '../../ui/changing-figures.tsx'
import { getDateIn, shiftDay } from '../../ui/days.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { formatDay } from '../../ui/time.tsx'

type Total = Output<'getReport'>['total']

const skeleton = <Skeleton className="h-16" />

/** Shows the results for the last 7 days and for the previous 7 days, in the account's time zone. */
export function LastWeek() {
  const account = useOperation('getAccount', {})
  const today = account.data && getDateIn(new Date(), account.data.timezone)
  const report = useOperation(
    'getReport',
    today ? { from: shiftDay(today, -6), to: today, compare: true } : {},
    { isEnabled: today !== undefined },
  )
  return (
    <section
      aria-labelledby="week-title"
      className="min-w-0 rounded-card border border-line bg-surface p-4 narrow:p-5"
    >
      <header className="mb-3 flex flex-wrap items-baseline justify-between gap-x-4">
        <h2 id="week-title" className="font-semibold text-lg">
          Last 7 days
        </h2>
        {report.data && (
          <p className="text-muted text-sm">
            {formatDay(report.data.from)} to {formatDay(report.data.to)}, compared with the previous 7 days
          </p>
        )}
      </header>
      <Loaded query={account} skeleton={skeleton}>
        {() => (
          <Loaded query={report} skeleton={skeleton}>
            {({ total }) => total.before && <Numbers last={total} before={total.before} />}
          </Loaded>
        )}
      </Loaded>
    </section>
  )
}

const Numbers = ({ last, before }: { last: Total; before: NonNullable<Total['before']> }) => (
  <dl className="grid grid-cols-2 gap-x-4 gap-y-4 narrow:grid-cols-4">
    <CountFigure label="Emails sent" last={last.sent} before={before.sent} />
    <RateFigure label="Reply rate" last={last.rates.replied} before={before.rates.replied} />
    <CountFigure label="Positive replies" last={last.positive} before={before.positive} />
    <CountFigure label="Meetings" last={last.meetings} before={before.meetings} />
  </dl>
)
