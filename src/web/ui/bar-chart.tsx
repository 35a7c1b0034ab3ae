import type { ReactNode } from 'react'
import { formatDay, formatNumber } from './time.tsx'

export type PeriodCount = { date: string; count: number }

type Props = {
  label: string
  bars: PeriodCount[]
  /** The period of each bar; weeks are dated by their Monday. */
  unit?: 'day' | 'week'
  /** A control that replaces the label and selects the numbers. */
  control?: ReactNode
}

/** Shows a bar chart with one bar per day or week. */
export function BarChart({ label, bars, unit = 'day', control }: Props) {
  const peak = Math.max(...bars.map(({ count }) => count))
  const total = bars.reduce((sum, { count }) => sum + count, 0)
  const [first, last] = [bars[0], bars.at(-1)]
  if (!first || !last) return null
  return (
    <figure className="min-w-0 break-inside-avoid rounded-card border border-line bg-surface p-4">
      <figcaption className="mb-3 flex flex-wrap items-baseline justify-between gap-x-4">
        <span className={`font-medium ${control ? 'hidden print:inline' : ''}`}>{label}</span>
        {control && <span className="print:hidden">{control}</span>}
        <span className="text-muted text-sm">
          {total > 0 ? `${formatNumber(total)} in total, peak ${formatNumber(peak)} per ${unit}` : 'None'}
        </span>
      </figcaption>
      <div
        role="img"
        aria-label={`${formatNumber(total)} from ${formatDay(first.date)} to ${formatDay(last.date)}, peak ${formatNumber(peak)} per ${unit}`}
        className="flex h-20 items-end gap-[2px] border-line border-b"
      >
        {bars.map(({ date, count }) => (
          <span
            key={date}
            title={`${unit === 'week' ? 'Week of ' : ''}${formatDay(date)}: ${formatNumber(count)}`}
            className="flex h-full flex-1 items-end hover:bg-sunken"
          >
            <span
              className="block w-full rounded-t-[2px] bg-solid forced-color-adjust-none [print-color-adjust:exact]"
              style={{ height: `${peak > 0 ? (100 * count) / peak : 0}%` }}
            />
          </span>
        ))}
      </div>
      <p aria-hidden="true" className="mt-1.5 flex justify-between text-muted text-xs">
        <span>{formatDay(first.date)}</span>
        <span>{formatDay(last.date)}</span>
      </p>
    </figure>
  )
}
