import type { Output } from '../../../contract/index.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { Section } from '../../ui/page.tsx'

type Report = Output<'getReport'>
type Result = NonNullable<Report['comparisons']>[number]['result']

const verdicts: Record<Result, [badge: string, tone: Tone, getText: (best: string) => string]> = {
  different: [
    'Clear winner',
    'green',
    best => `${best} works better. Its lead is unlikely to be due to chance.`,
  ],
  no_difference: ['No clear winner', 'neutral', () => 'the difference may be due to chance.'],
  too_few: [
    'Too early',
    'amber',
    () => 'each variant needs at least 100 people before they can be compared.',
  ],
}

/** Shows which variant of each step gets more replies, and whether chance could explain it. */
export function VariantVerdicts({ report: { comparisons = [], data } }: { report: Report }) {
  if (comparisons.length === 0) return null
  return (
    <Section title="Variants compared" intro="By reply rate, with 95% confidence.">
      <ul className="divide-y divide-line rounded-card border border-line bg-surface">
        {comparisons.map(({ stepId, bestVariantId, result }) => {
          const [badge, tone, getText] = verdicts[result]
          // As in “Spring, step 1, variant A”.
          const name = data.find(({ key }) => key === bestVariantId)?.name ?? 'Removed step'
          const [step, best = 'one variant'] = name.split(/, (?=variant .$)/)
          return (
            <li key={stepId} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5">
              <Badge tone={tone}>{badge}</Badge>
              <span className="wrap-anywhere min-w-0">
                <b className="font-medium">{step}</b>: {getText(best)}
              </span>
            </li>
          )
        })}
      </ul>
    </Section>
  )
}
