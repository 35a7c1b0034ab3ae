import { useState } from 'react'
import type { Output } from '../../../contract/index.ts'
import { filterClass } from '../../ui/button.tsx'
import { Section } from '../../ui/page.tsx'
import { channelLabels, letters } from './step-labels.ts'
import { StepPreview } from './step-preview.tsx'

/** Shows each step as prospects will receive it. */
export function MessagePreview({ campaign: { id, steps } }: { campaign: Output<'getCampaign'> }) {
  const [stepId, setStepId] = useState<string>()
  const step = steps.find(step => step.id === stepId) ?? steps[0]
  if (!step) return null
  return (
    <Section title="Messages" intro="Each step as a prospect will receive it.">
      {steps.length > 1 && (
        <fieldset className="mb-3 flex flex-wrap gap-1">
          <legend className="sr-only">Step</legend>
          {steps.map(({ id, position, channel }) => (
            <button
              key={id}
              type="button"
              aria-pressed={id === step.id}
              onClick={() => setStepId(id)}
              className={filterClass}
            >
              {position}. {channelLabels[channel]}
            </button>
          ))}
        </fieldset>
      )}
      <div className="max-w-[72ch]">
        <StepPreview
          campaignId={id}
          stepId={step.id}
          variants={step.variants.map(({ id }, index) => ({ id, letter: letters[index] ?? '' }))}
          note={undefined}
        />
      </div>
    </Section>
  )
}
