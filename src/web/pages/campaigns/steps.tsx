import type { Output } from '../../../contract/index.ts'
import { useOperation } from '../../api.ts'
import { DescriptionList } from '../../ui/description-list.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { capitalize } from '../../ui/sentence.ts'
import type { Stats } from './stats.tsx'
import { channelLabels, formatDelay, formatTiming, getFirstLine, letters } from './step-labels.ts'
import {
  formatEmailMetrics,
  formatMetricsOutsideSteps,
  formatReplyMetrics,
  formatStepMetrics,
  type StepStats,
} from './step-metrics.ts'

type Step = Output<'getCampaign'>['steps'][number]
type Props = { steps: Step[]; stats: Stats | undefined }

export function Steps({ steps, stats }: Props) {
  if (steps.length === 0) {
    return <EmptyState title="No steps yet">Add at least one step before you launch the campaign.</EmptyState>
  }
  const getStepStats = ({ id }: Step) => stats?.steps.find(({ stepId }) => stepId === id)
  const outside = stats && formatMetricsOutsideSteps(stats)
  return (
    <ol className="grid grid-cols-1 gap-3">
      {steps.map(step => (
        <li key={step.id} className={cardClass}>
          <div className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1">
            <h3 className="font-medium">
              {step.position}. {formatHeading(step)}
              {step.thread === 'same' && step.position > 1 && (
                <span className="font-normal text-muted">, in the same thread</span>
              )}
            </h3>
            <p className="text-muted text-sm tabular-nums">
              {stats && formatResults(getStepStats(step), step.channel)}
            </p>
          </div>
          {step.variants.map((variant, index) => (
            <Variant
              key={variant.id}
              variant={variant}
              test={
                step.variants.length > 1
                  ? {
                      letter: letters[index] ?? '',
                      metrics: formatVariantMetrics(getStepStats(step), variant.id),
                    }
                  : undefined
              }
            />
          ))}
          {getStepStats(step)
            ?.variants.filter(({ variantId }) => !step.variants.some(({ id }) => id === variantId))
            .map(removed => (
              <MetricsLine
                key={removed.variantId}
                label="Removed variant"
                metrics={formatEmailMetrics(removed)}
              />
            ))}
          {step.call && <CallStep call={step.call} />}
        </li>
      ))}
      {stats?.steps
        .filter(({ stepId }) => !steps.some(({ id }) => id === stepId))
        .map(removed => (
          <li key={removed.stepId} className={cardClass}>
            <MetricsLine label="Removed step" metrics={formatStepMetrics(removed)} />
          </li>
        ))}
      {outside && (
        <li className={cardClass}>
          <MetricsLine label="Outside the steps" metrics={outside} />
          <p className="text-muted text-sm">Replies to manual messages, and opt-outs made elsewhere.</p>
        </li>
      )}
    </ol>
  )
}

const cardClass = 'rounded-card border border-line bg-surface p-4'

const MetricsLine = ({ label, metrics }: { label: string; metrics: string }) => (
  <p className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1 text-muted text-sm tabular-nums">
    <span className="font-medium text-text">{label}</span>
    <span>{metrics}</span>
  </p>
)

/** Shows a call step: its assistant, its retries and what happens after an answered call. */
function CallStep({
  call: { assistantId, data, onAnswered, retries, retryAfter },
}: {
  call: NonNullable<Step['call']>
}) {
  const { data: assistants } = useOperation('listAssistants', { limit: 100 })
  const assistant = assistants?.data.find(({ id }) => id === assistantId)
  const facts = Object.entries(data ?? {})
  return (
    <div className="mt-2 border-line border-t pt-2 text-muted">
      <p>
        {assistantId ? `${assistant?.name ?? 'An assistant'} calls.` : 'No assistant selected.'}{' '}
        {retries > 0
          ? `If unanswered, retry ${retries === 1 ? 'once after' : `up to ${retries} times, every`} ${formatDelay(retryAfter)}.`
          : 'If unanswered, continue with the next step.'}{' '}
        {onAnswered === 'stop'
          ? 'If answered, stop the sequence.'
          : 'If answered, continue with the next step.'}
      </p>
      {facts.length > 0 && (
        <details className="mt-2">
          <summary className="cursor-pointer rounded-control hover:text-text">
            Data given to the assistant
          </summary>
          <div className="mt-2 text-text">
            <DescriptionList items={Object.fromEntries(facts)} />
          </div>
        </details>
      )}
    </div>
  )
}

/** Shows a step's text as it was written, without filling in its variables. */
function Variant({
  variant: { subject, body, weight },
  test,
}: {
  variant: Step['variants'][number]
  /** Omitted when the step has a single variant. */
  test: { letter: string; metrics: string } | undefined
}) {
  return (
    <div className="mt-2 border-line border-t pt-2">
      {test && (
        <p className="flex flex-wrap justify-between gap-x-6 text-muted text-sm tabular-nums">
          <span className="font-medium text-text">
            Variant {test.letter}, weight {weight}
          </span>
          {test.metrics}
        </p>
      )}
      <details>
        <summary className="cursor-pointer truncate rounded-control text-muted hover:text-text">
          {subject ?? getFirstLine(body)}
        </summary>
        <p className="mt-2 max-w-[72ch] whitespace-pre-wrap">{body}</p>
      </details>
    </div>
  )
}

function formatHeading({ position, channel, delay }: Step): string {
  const timing = formatTiming(position, delay)
  return channel === 'email' ? capitalize(timing) : `${channelLabels[channel]}, ${timing}`
}

const formatResults = (stats: StepStats | undefined, channel: Step['channel']): string => {
  if (stats) return formatStepMetrics(stats)
  return channel === 'email' ? 'Nothing sent yet' : channel === 'call' ? 'No calls yet' : 'No tasks yet'
}

/** Formats the results of a variant. */
const formatVariantMetrics = (stats: StepStats | undefined, variantId: string): string => {
  const variant = stats?.variants.find(candidate => candidate.variantId === variantId)
  if (stats?.tasks) return variant ? formatReplyMetrics(variant) : 'No replies yet'
  return variant ? formatEmailMetrics(variant) : 'Nothing sent yet'
}
