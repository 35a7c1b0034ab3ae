import type { Output } from '../../../contract/index.ts'
import type { StackedBar } from '../../ui/stacked-bar-chart.tsx'
import { formatDay } from '../../ui/time.tsx'

type Day = Output<'forecastCampaign'>['days'][number]

/** Beyond this many days, each bar represents a week. */
const MAX_DAILY_BARS = 62
const DAY_MS = 24 * 3_600_000

/** Returns a bar for every day from the first to the last, or for every week if there are too many days. */
export function toForecastBars(days: Day[]): { unit: 'day' | 'week'; bars: StackedBar[] } {
  const [first, last] = [days[0], days.at(-1)]
  if (!first || !last) return { unit: 'day', bars: [] }
  const isWeekly = (Date.parse(last.date) - Date.parse(first.date)) / DAY_MS >= MAX_DAILY_BARS
  const getStart = ({ date }: Day) => (isWeekly ? getMonday(date) : date)
  const byStart = Map.groupBy(days, getStart)
  const bars: StackedBar[] = []
  const step = (isWeekly ? 7 : 1) * DAY_MS
  for (let at = Date.parse(getStart(first)); at <= Date.parse(last.date); at += step) {
    const start = toDate(at)
    const label = isWeekly ? `Week of ${formatDay(start)}` : formatDay(start)
    bars.push({ key: start, label, counts: addUp(byStart.get(start) ?? []) })
  }
  return { unit: isWeekly ? 'week' : 'day', bars }
}

const toDate = (at: number): string => new Date(at).toISOString().slice(0, 10)

const getMonday = (date: string): string => {
  const at = Date.parse(date)
  return toDate(at - ((new Date(at).getUTCDay() + 6) % 7) * DAY_MS)
}

function addUp(days: Day[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { mailboxes } of days)
    for (const [id, count] of Object.entries(mailboxes)) counts[id] = (counts[id] ?? 0) + count
  return counts
}
