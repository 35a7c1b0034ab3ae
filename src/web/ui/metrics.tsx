import { formatNumber } from './time.tsx'

export type Metric = {
  label: string
  value: number
  /** Of what it is a part: told in percent. */
  of?: number
}

/** What was counted, side by side. */
export function Metrics({ label, metrics }: { label: string; metrics: Metric[] }) {
  return (
    <dl
      aria-label={label}
      className="grid grid-cols-2 overflow-hidden rounded-card border border-line bg-surface narrow:grid-cols-[repeat(auto-fit,minmax(7.5rem,1fr))]"
    >
      {metrics.map(({ label, value, of }) => (
        <div key={label} className="-mr-px -mb-px border-line border-r border-b px-4 py-3">
          <dt className="text-muted text-sm">{label}</dt>
          <dd className="mt-0.5 flex items-baseline gap-2 tabular-nums">
            <span className="font-semibold text-xl">{formatNumber(value)}</span>
            {of !== undefined && value > 0 && (
              <span className="text-muted text-sm">{percent.format(value / of)}</span>
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}

const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })
