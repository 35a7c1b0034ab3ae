import type { Output } from '../../../contract/index.ts'
import { useOperation } from '../../api.ts'
import { downloadFile, toCsv } from '../../components/download.ts'
import { Button } from '../../ui/button.tsx'
import { getDateIn, shiftDay } from '../../ui/days.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { type Metric, Metrics } from '../../ui/metrics.tsx'
import { Section } from '../../ui/page.tsx'
import { FormSkeleton } from '../../ui/skeleton.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { formatNumber, formatPercent } from '../../ui/time.tsx'
import { type Period, periodLabels, periods } from './result-period.ts'

type Report = Output<'getReport'>
type Row = Report['data'][number]
type VariantRow = Row & { id: string; label: string }
type Step = Output<'getCampaign'>['steps'][number]

type Props = {
  campaignId: string
  steps: Step[]
  period: Period
  onPeriodChange: (period: Period) => void
}

/**
 * Shows the funnel of a period, with the results of each variant and the intents of the replies. Days are in the
 * account's time zone.
 */
export function PeriodResults({ campaignId, steps, period, onPeriodChange }: Props) {
  const account = useOperation('getAccount', {})
  const today = account.data && getDateIn(new Date(), account.data.timezone)
  const input = { campaignId, ...(today && { from: shiftDay(today, 1 - period), to: today }) }
  const options = { isEnabled: today !== undefined }
  const variants = useOperation('getReport', { ...input, groupBy: 'variant' }, options)
  const intents = useOperation('getReport', { ...input, groupBy: 'intent' }, options)
  const rows = variants.data && toVariantRows(variants.data.data, steps)
  return (
    <Section
      title="Results by period"
      intro="Rates count replies to messages sent in the period. The range next to each reply rate contains the true rate with 95% certainty; more people make it narrower."
      action={
        <div className="flex flex-wrap gap-2">
          <select
            aria-label="Period"
            value={period}
            onChange={({ target }) => onPeriodChange(Number(target.value) as Period)}
            className="h-9 min-w-0 rounded-control border border-edge bg-surface px-3 pr-8"
          >
            {periods.map(days => (
              <option key={days} value={days}>
                {periodLabels[days]}
              </option>
            ))}
          </select>
          {rows && rows.length > 0 && <Button onClick={() => exportRows(rows)}>Export CSV</Button>}
        </div>
      }
    >
      <Loaded query={account} skeleton={skeleton}>
        {() => (
          <Loaded query={variants} skeleton={skeleton}>
            {report => (
              <div className="grid gap-4">
                <Metrics label="Funnel" metrics={toFunnel(report.total)} />
                {rows && rows.length > 0 && (
                  <Table label="Steps and variants" rows={rows} columns={columns} />
                )}
                {report.comparisons?.map(({ stepId, bestVariantId, result }) => (
                  <p key={stepId} className="text-muted">
                    Step {findPosition(steps, stepId)}: {comparisonTexts[result](bestVariantId, rows ?? [])}
                  </p>
                ))}
              </div>
            )}
          </Loaded>
        )}
      </Loaded>
      {intents.data && <Intents rows={intents.data.data} />}
    </Section>
  )
}

const skeleton = <FormSkeleton fields={2} />

const toFunnel = ({ rates, ...counts }: Report['total']): Metric[] => [
  { label: 'Contacted', value: counts.contacted },
  ...(counts.sent > 0 ? [{ label: 'Emails delivered', value: counts.delivered, rate: rates.delivered }] : []),
  { label: 'Replied', value: counts.replied, rate: rates.replied },
  { label: 'Positive', value: counts.positive, rate: rates.positive },
  { label: 'Meetings', value: counts.meetings, rate: rates.meetings },
]

const findPosition = (steps: Step[], stepId: string | undefined): number | undefined =>
  steps.find(({ id }) => id === stepId)?.position

/** Returns the rows in the order of the steps and their variants; those of deleted steps come last. */
function toVariantRows(rows: Row[], steps: Step[]): VariantRow[] {
  const variantLabels = steps.flatMap(({ position, variants }) =>
    variants.map(({ id }, index) => ({
      id,
      label:
        variants.length > 1 ? `Step ${position}, ${String.fromCharCode(65 + index)}` : `Step ${position}`,
    })),
  )
  const indexes = new Map(variantLabels.map(({ id }, index) => [id, index]))
  const getIndex = ({ key }: Row) => indexes.get(key ?? '') ?? variantLabels.length
  return rows
    .toSorted((a, b) => getIndex(a) - getIndex(b))
    .map(row => ({
      ...row,
      id: row.key ?? 'none',
      label: variantLabels[getIndex(row)]?.label ?? (row.key ? 'Removed step' : 'Outside the steps'),
    }))
}

const formatInterval = ({ rates, replyInterval }: Row): string =>
  rates.replied === undefined
    ? ''
    : formatPercent(rates.replied) +
      (replyInterval ? ` (${formatPercent(replyInterval.low)}–${formatPercent(replyInterval.high)})` : '')

const columns: Column<VariantRow>[] = [
  { head: 'Step', cell: ({ label }) => label },
  {
    head: 'Contacted',
    cell: ({ contacted }) => (
      <>
        {formatNumber(contacted)}
        <span className="narrow:hidden"> contacted</span>
      </>
    ),
    isNumber: true,
  },
  { head: 'Sent', cell: ({ sent }) => formatNumber(sent), isNumber: true, isMinor: true },
  { head: 'Replied', cell: ({ replied }) => formatNumber(replied), isNumber: true, isMinor: true },
  {
    head: 'Reply rate (95% range)',
    cell: row =>
      row.rates.replied !== undefined && (
        <>
          {formatInterval(row)}
          <span className="narrow:hidden"> replied</span>
        </>
      ),
    isNumber: true,
  },
  { head: 'Positive', cell: ({ positive }) => formatNumber(positive), isNumber: true, isMinor: true },
  {
    head: 'Bounced',
    cell: ({ bouncedHard, bouncedSoft, blocked }) => formatNumber(bouncedHard + bouncedSoft + blocked),
    isNumber: true,
    isMinor: true,
  },
]

type Result = NonNullable<Report['comparisons']>[number]['result']

const comparisonTexts: Record<Result, (bestId: string, rows: VariantRow[]) => string> = {
  different: (bestId, rows) =>
    `${rows.find(({ id }) => id === bestId)?.label.split(', ')[1] ?? 'One variant'} gets more replies, which is unlikely to be due to chance.`,
  no_difference: () => 'the difference between the variants may be due to chance.',
  too_few: () => 'too few people to compare the variants; each needs at least 100.',
}

const intentLabels: Record<string, string> = {
  interested: 'Interested',
  question: 'Question',
  objection: 'Objection',
  not_now: 'Not now',
  wrong_person: 'Wrong person',
  opt_out: 'Opt-out request',
  auto: 'Automatic reply',
}

function Intents({ rows }: { rows: Row[] }) {
  const metrics = rows
    .map(({ key, replied, autoReplied }) => ({
      label: (key && intentLabels[key]) ?? 'Not classified',
      value: key === 'auto' ? autoReplied : replied,
    }))
    .filter(({ value }) => value > 0)
  if (metrics.length === 0) return null
  return (
    <div className="mt-4">
      <h3 className="mb-2 font-medium">Replies by intent</h3>
      <Metrics label="Replies by intent" metrics={metrics} />
    </div>
  )
}

function exportRows(rows: VariantRow[]): void {
  const header = [
    'Step',
    'Contacted',
    'Sent',
    'Delivered',
    'Replied',
    'Reply rate',
    'Lowest',
    'Highest',
    'Positive',
    'Opted out',
    'Bounced',
  ]
  const lines = rows.map(row => [
    row.label,
    ...[row.contacted, row.sent, row.delivered, row.replied].map(String),
    ...[row.rates.replied, row.replyInterval?.low, row.replyInterval?.high].map(rate => String(rate ?? '')),
    ...[row.positive, row.optedOut, row.bouncedHard + row.bouncedSoft + row.blocked].map(String),
  ])
  downloadFile('campaign-results.csv', 'text/csv', toCsv([header, ...lines]))
}
