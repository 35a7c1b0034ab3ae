import { Link } from '@tanstack/react-router'
import type { Output } from '../../../contract/index.ts'
import { buttonClass } from '../../ui/button.tsx'
import { DayBars } from '../../ui/day-bars.tsx'
import { Numbers } from '../../ui/numbers.tsx'
import { Section } from '../../ui/page.tsx'
import { campaignFigures } from './campaign-figures.ts'
import { stateWords } from './prospect-states.ts'

export type Stats = Output<'getCampaignStats'>

export const NumbersOf = (props: { steps: Output<'getCampaign'>['steps']; stats: Stats }) => (
  <Numbers label="Numbers" figures={campaignFigures(props.steps, props.stats)} />
)

export function DaysOf({ stats: { sent, replied, days } }: { stats: Stats }) {
  if (sent + replied === 0) return null
  const period = `last ${days.length} days`
  return (
    <div className="mt-4 grid gap-4 narrow:grid-cols-2">
      {sent > 0 && (
        <DayBars label={`Sent, ${period}`} days={days.map(({ date, sent }) => ({ date, count: sent }))} />
      )}
      <DayBars
        label={`Replied, ${period}`}
        days={days.map(({ date, replied }) => ({ date, count: replied }))}
      />
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
      intro="Each prospect has one state. Opted out includes replies that opt out. Bounced includes addresses that a server refused at once."
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
