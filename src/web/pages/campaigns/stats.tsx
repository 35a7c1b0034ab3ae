import { Link } from '@tanstack/react-router'
import type { Output } from '../../../contract/index.ts'
import { buttonClass } from '../../ui/button.tsx'
import { DayBars } from '../../ui/day-bars.tsx'
import { type Figure, Numbers } from '../../ui/numbers.tsx'
import { Section } from '../../ui/page.tsx'
import { stateWords } from './prospect-states.ts'

export type Stats = Output<'getCampaignStats'>

type Props = { steps: Output<'getCampaign'>['steps']; stats: Stats }

/** Emails of a campaign that writes any; what was sent is what was delivered and what bounced. */
export function NumbersOf({ steps, stats }: Props) {
  const { sent, enrolled, refused } = stats
  const hasEmail = sent + refused > 0 || steps.some(({ channel }) => channel === 'email')
  const tasks = stats.steps.flatMap(step => step.tasks ?? [])
  const calls = stats.steps.flatMap(step => step.calls ?? [])
  const figures: (Figure | false)[] = [
    { label: 'Prospects', value: enrolled },
    hasEmail && { label: 'Sent', value: sent },
    hasEmail && { label: 'Delivered', value: stats.delivered, of: sent },
    hasEmail && { label: 'Bounced', value: stats.bouncedHard + stats.bouncedSoft + stats.blocked, of: sent },
    refused > 0 && { label: 'Refused', value: refused },
    tasks.length > 0 && { label: 'Tasks done', value: sum(tasks.map(({ completed }) => completed)) },
    calls.length > 0 && { label: 'Calls answered', value: sum(calls.map(({ answered }) => answered)) },
    { label: 'Replied', value: stats.replied, of: enrolled },
    { label: 'Opted out', value: stats.optedOut, of: enrolled },
  ]
  return <Numbers label="Numbers" figures={figures.filter(figure => figure !== false)} />
}

const sum = (counts: number[]): number => counts.reduce((sum, count) => sum + count, 0)

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
