import { formatNumber, formatPercent } from './time.tsx'

type NumberProps<T> = {
  label: string
  last: T
  /** The value of the previous period; null if there is no comparison. */
  before: T | null
}

const signed = new Intl.NumberFormat('en', { signDisplay: 'exceptZero' })
const points = new Intl.NumberFormat('en', { signDisplay: 'exceptZero', maximumFractionDigits: 1 })

/** Shows a number and its change from the previous period. */
export const CountFigure = ({ label, last, before }: NumberProps<number>) => (
  <Figure
    label={label}
    value={formatNumber(last)}
    change={
      before === null
        ? undefined
        : last === before
          ? 'No change'
          : `${signed.format(last - before)} from ${formatNumber(before)}`
    }
  />
)

/** Shows a rate and its change from the previous period. A rate is undefined when nobody was contacted. */
export function RateFigure({ label, last, before }: NumberProps<number | undefined>) {
  const change =
    before === null
      ? undefined
      : last === undefined
        ? 'Nobody was contacted'
        : before === undefined
          ? 'Nobody was contacted before'
          : formatPercent(last) === formatPercent(before)
            ? 'No change'
            : `${points.format((last - before) * 100)} points from ${formatPercent(before)}`
  return <Figure label={label} value={last === undefined ? '–' : formatPercent(last)} change={change} />
}

const Figure = ({ label, value, change }: { label: string; value: string; change: string | undefined }) => (
  <div className="min-w-0">
    <dt className="text-muted text-sm">{label}</dt>
    <dd className="mt-0.5 tabular-nums">
      <span className="block font-semibold text-2xl">{value}</span>
      {change && <span className="block text-muted text-sm">{change}</span>}
    </dd>
  </div>
)
