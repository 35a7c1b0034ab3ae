import type { CSSProperties } from 'react'
import { formatNumber, formatPercent } from './time.tsx'

export type Metric = {
  label: string
  value: number
  /** Shows the value as a percentage of this total as well. */
  total?: number
  /** Shown as a percentage as well; by default, the value divided by the total. */
  rate?: number | undefined
}

/** Shows a row of labeled numbers. */
export function Metrics({ label, metrics }: { label: string; metrics: Metric[] }) {
  return (
    <dl
      aria-label={label}
      // On a tablet, more than four numbers are shown in two even rows.
      style={
        { '--columns': metrics.length > 4 ? Math.ceil(metrics.length / 2) : metrics.length } as CSSProperties
      }
      className="grid grid-cols-2 overflow-hidden rounded-card border border-line bg-surface narrow:grid-cols-[repeat(var(--columns),minmax(0,1fr))] wide:grid-cols-[repeat(auto-fit,minmax(7.5rem,1fr))]"
    >
      {metrics.map(({ label, value, total, rate = total ? value / total : undefined }) => (
        <div key={label} className="-mr-px -mb-px border-line border-r border-b px-4 py-3">
          <dt className="text-muted text-sm">{label}</dt>
          <dd className="mt-0.5 flex items-baseline gap-2 tabular-nums">
            <span className="font-semibold text-xl">{formatNumber(value)}</span>
            {rate !== undefined && value > 0 && (
              <span className="text-muted text-sm">{formatPercent(rate)}</span>
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}
