import { Link } from '@tanstack/react-router'
import type { Output } from '../../../contract/index.ts'
import { statusLabels } from '../../components/prospect-statuses.ts'
import { BarChart } from '../../ui/bar-chart.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { Metrics } from '../../ui/metrics.tsx'
import { Section } from '../../ui/page.tsx'
import { toCampaignMetrics } from './campaign-metrics.ts'

export type Stats = Output<'getCampaignStats'>

export const CampaignMetrics = (props: { steps: Output<'getCampaign'>['steps']; stats: Stats }) => (
  <Metrics label="Results" metrics={toCampaignMetrics(props.steps, props.stats)} />
)

export function DailyCharts({ stats: { sent, replied, days } }: { stats: Stats }) {
  if (sent + replied === 0) return null
  const period = `last ${days.length} days`
  return (
    <div className="mt-4 grid gap-4 narrow:grid-cols-2">
      {sent > 0 && (
        <BarChart label={`Sent, ${period}`} bars={days.map(({ date, sent }) => ({ date, count: sent }))} />
      )}
      <BarChart
        label={`Replied, ${period}`}
        bars={days.map(({ date, replied }) => ({ date, count: replied }))}
      />
    </div>
  )
}

export function ProspectStatuses({ stats: { campaignId, prospects } }: { stats: Stats }) {
  const metrics = Object.entries(statusLabels).flatMap(([status, label]) =>
    prospects[status] ? [{ label, value: prospects[status] }] : [],
  )
  return (
    <Section
      title="Prospect status"
      intro="Each prospect has one status. Opted out includes people who asked in a reply; people you add to the Do Not Contact list yourself are paused or stopped. Bounced includes addresses that the mail server rejected."
      action={
        <Link to="/campaigns/$campaignId/prospects" params={{ campaignId }} className={buttonClass()}>
          Show prospects
        </Link>
      }
    >
      {metrics.length > 0 ? (
        <Metrics label="Prospects" metrics={metrics} />
      ) : (
        <p className="text-muted">No prospects yet.</p>
      )}
    </Section>
  )
}
