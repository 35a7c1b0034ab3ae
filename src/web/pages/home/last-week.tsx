import type { Output } from '../../../contract/index.ts'
import { useOperation } from '../../api.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { formatDay, formatNumber, formatPercent } from '../../ui/time.tsx'
import { shiftDay, toDay } from './days.ts'

type Total = Output<'getReport'>['total']

/** The results of the last 7 days and of the 7 before, in days of the account's time zone. */
export function LastWeek() {
  const { data: account } = useOperation('getAccount', {})
  const today = account && toDay(new Date(), account.timezone)
  const last = useReport(today, 6, 0)
  const before = useReport(today, 13, 7)
  const error = last.error ?? before.error
  const data = last.data && before.data && { last: last.data.total, before: before.data.total }
  return (
    <section
      aria-labelledby="week-title"
      className="min-w-0 rounded-card border border-line bg-surface p-4 narrow:p-5"
    >
      <header className="mb-3 flex flex-wrap items-baseline justify-between gap-x-4">
        <h2 id="week-title" className="font-semibold text-lg">
          Last 7 days
        </h2>
        {last.data && (
          <p className="text-muted text-sm">
            {formatDay(last.data.from)} to {formatDay(last.data.to)}, compared with the 7 days before
          </p>
        )}
      </header>
      <Loaded
        query={{ data, error, refetch: () => Promise.all([last.refetch(), before.refetch()]) }}
        skeleton={<Skeleton className="h-16" />}
      >
        {numbers => <Numbers {...numbers} />}
      </Loaded>
    </section>
  )
}

/** Reads the report from so many days ago to so many, once `today` is known. */
const useReport = (today: string | undefined, fromDaysAgo: number, toDaysAgo: number) =>
  useOperation(
    'getReport',
    today ? { from: shiftDay(today, -fromDaysAgo), to: shiftDay(today, -toDaysAgo) } : {},
    { isEnabled: today !== undefined },
  )

const Numbers = ({ last, before }: { last: Total; before: Total }) => (
  <dl className="grid grid-cols-2 gap-x-4 gap-y-4 narrow:grid-cols-4">
    <Count label="Emails sent" last={last.sent} before={before.sent} />
    <Rate label="Reply rate" last={last.rates.replied} before={before.rates.replied} />
    <Count label="Positive replies" last={last.positive} before={before.positive} />
    <Count label="Meetings" last={last.meetings} before={before.meetings} />
  </dl>
)

type NumberProps<T> = { label: string; last: T; before: T }

const signed = new Intl.NumberFormat('en', { signDisplay: 'exceptZero' })
const points = new Intl.NumberFormat('en', { signDisplay: 'exceptZero', maximumFractionDigits: 1 })

const Count = ({ label, last, before }: NumberProps<number>) => (
  <Figure
    label={label}
    value={formatNumber(last)}
    change={
      last === before ? 'As many as before' : `${signed.format(last - before)} from ${formatNumber(before)}`
    }
  />
)

/** A rate is absent when nobody was contacted. */
function Rate({ label, last, before }: NumberProps<number | undefined>) {
  const change =
    last === undefined
      ? 'Nobody was contacted'
      : before === undefined
        ? 'Nobody was contacted before'
        : formatPercent(last) === formatPercent(before)
          ? 'As high as before'
          : `${points.format((last - before) * 100)} points from ${formatPercent(before)}`
  return <Figure label={label} value={last === undefined ? '–' : formatPercent(last)} change={change} />
}

const Figure = ({ label, value, change }: { label: string; value: string; change: string }) => (
  <div className="min-w-0">
    <dt className="text-muted text-sm">{label}</dt>
    <dd className="mt-0.5 tabular-nums">
      <span className="block font-semibold text-2xl">{value}</span>
      <span className="block text-muted text-sm">{change}</span>
    </dd>
  </div>
)
