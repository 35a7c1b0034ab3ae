import { Link } from '@tanstack/react-router'
import type { Output } from '../../../contract/index.ts'
import { buttonClass } from '../../ui/button.tsx'
import { DayBars } from '../../ui/day-bars.tsx'
import { Numbers } from '../../ui/numbers.tsx'
import { Section } from '../../ui/page.tsx'
import { stateWords } from './prospect-states.ts'

export type Stats = Output<'getCampaignStats'>

export const NumbersOf = ({ stats }: { stats: Stats }) => (
  <Numbers
    label="Numbers"
    figures={[
      { label: 'Prospects', value: stats.enrolled },
      { label: 'Sent', value: stats.sent },
      { label: 'Delivered', value: stats.delivered, of: stats.sent },
      { label: 'Replied', value: stats.replied, of: stats.enrolled },
      { label: 'Opted out', value: stats.optedOut, of: stats.enrolled },
      { label: 'Bounced', value: stats.bouncedHard + stats.bouncedSoft + stats.blocked, of: stats.sent },
    ]}
  />
)

export function DaysOf({ stats: { sent, days } }: { stats: Stats }) {
  if (sent === 0) return null
  return (
    <div className="mt-4 grid gap-4 narrow:grid-cols-2">
      <DayBars label="Sent" days={days.map(({ date, sent }) => ({ date, count: sent }))} />
      <DayBars label="Replied" days={days.map(({ date, replied }) => ({ date, count: replied }))} />
    </div>
  )
}

export function ProspectsOf({ stats: { campaignId, prospects } }: { stats: Stats }) {
  const figures = Object.entries(stateWords).flatMap(([status, label]) =>
    prospects[status] ? [{ label, value: prospects[status] }] : [],
  )
  return (
    <Section
      title="Where its prospects stand"
      intro="Each prospect has one state. Whoever replied to opt out is under Opted out."
      action={
        <Link to="/campaigns/$campaignId/prospects" params={{ campaignId }} className={buttonClass()}>
          Show prospects
        </Link>
      }
    >
      {figures.length > 0 ? (
        <Numbers label="Prospects" figures={figures} />
      ) : (
        <p className="text-muted">Nobody is in it yet.</p>
      )}
    </Section>
  )
}
