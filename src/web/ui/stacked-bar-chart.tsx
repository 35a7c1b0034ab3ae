import { formatNumber } from './time.tsx'

export type StackedBar = {
  key: string
  label: string
  /** Count by key of the series. */
  counts: Record<string, number>
}
type Series = { key: string; label: string }

type Props = {
  label: string
  /** Describes the chart to screen readers. */
  summary: string
  series: Series[]
  bars: StackedBar[]
}

/** Series beyond these share the last color. */
const colors = ['bg-solid', 'bg-blue', 'bg-amber', 'bg-green', 'bg-red', 'bg-edge']

const MAX_BAR_REM = 6

const getColor = (index: number): string => colors[Math.min(index, colors.length - 1)]!

/** Shows a bar chart in which each bar stacks several series. The same numbers are available as a table. */
export function StackedBarChart({ label, summary, series, bars }: Props) {
  const peak = Math.max(0, ...bars.map(getTotal))
  const [first, last] = [bars[0], bars.at(-1)]
  if (!first || !last) return null
  return (
    <figure className="min-w-0 rounded-card border border-line bg-surface p-4">
      <figcaption className="mb-3 flex flex-wrap items-baseline justify-between gap-x-4">
        <span className="font-medium">{label}</span>
        <span className="text-muted text-sm">Peak {formatNumber(peak)}</span>
      </figcaption>
      <div style={{ maxWidth: `${bars.length * MAX_BAR_REM}rem` }}>
        <div role="img" aria-label={summary} className="flex h-40 items-end gap-[2px] border-line border-b">
          {bars.map(bar => (
            <span
              key={bar.key}
              title={`${bar.label}: ${formatNumber(getTotal(bar))}`}
              className="flex h-full flex-1 flex-col justify-end hover:bg-sunken"
            >
              {series.map(({ key }, index) => (
                <span
                  key={key}
                  className={`block w-full forced-color-adjust-none ${getColor(index)}`}
                  style={{ height: `${peak > 0 ? (100 * (bar.counts[key] ?? 0)) / peak : 0}%` }}
                />
              ))}
            </span>
          ))}
        </div>
        <p aria-hidden="true" className="mt-1.5 flex justify-between text-muted text-xs">
          <span>{first.label}</span>
          <span>{last !== first && last.label}</span>
        </p>
      </div>
      {series.length > 1 && (
        <ul className="mt-3 flex flex-wrap gap-x-4 gap-y-1 text-sm">
          {series.map(({ key, label }, index) => (
            <li key={key} className="wrap-anywhere flex items-center gap-1.5">
              <span
                className={`size-2.5 shrink-0 rounded-[2px] forced-color-adjust-none ${getColor(index)}`}
              />
              {label}
            </li>
          ))}
        </ul>
      )}
      <ChartTable label={label} series={series} bars={bars} />
    </figure>
  )
}

const getTotal = ({ counts }: StackedBar): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0)

const ChartTable = ({ label, series, bars }: Omit<Props, 'summary'>) => (
  <details className="mt-3 text-sm">
    <summary className="w-fit cursor-pointer text-accent">Show as table</summary>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it */}
    <section aria-label={label} tabIndex={0} className="mt-2 max-h-80 overflow-auto">
      <table className="w-full tabular-nums">
        <thead>
          <tr className="text-muted">
            <th scope="col" className="py-1 pr-3 text-left font-medium">
              Date
            </th>
            {series.map(({ key, label }) => (
              <th key={key} scope="col" className="px-3 py-1 text-right font-medium">
                {label}
              </th>
            ))}
            {series.length > 1 && (
              <th scope="col" className="py-1 pl-3 text-right font-medium">
                Total
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {bars
            .filter(bar => getTotal(bar) > 0)
            .map(bar => (
              <tr key={bar.key} className="border-line border-t">
                <th scope="row" className="whitespace-nowrap py-1 pr-3 text-left font-normal">
                  {bar.label}
                </th>
                {series.map(({ key }) => (
                  <td key={key} className="px-3 py-1 text-right">
                    {formatNumber(bar.counts[key] ?? 0)}
                  </td>
                ))}
                {series.length > 1 && <td className="py-1 pl-3 text-right">{formatNumber(getTotal(bar))}</td>}
              </tr>
            ))}
        </tbody>
      </table>
    </section>
  </details>
)
