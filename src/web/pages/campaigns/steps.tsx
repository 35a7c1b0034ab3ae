import type { Output } from '../../../contract/index.ts'
import { useOperation } from '../../api.ts'
import { DescriptionList } from '../../ui/description-list.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { formatNumber } from '../../ui/time.tsx'
import type { Stats } from './stats.tsx'
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
    return <EmptyState title="No steps yet">A campaign needs one before it can be launched.</EmptyState>
  }
  const getStepStats = ({ id }: Step) => stats?.steps.find(({ stepId }) => stepId === id)
  const outside = stats && formatMetricsOutsideSteps(stats)
  return (
    <ol className="grid grid-cols-1 gap-3">
      {steps.map(step => (
        <li key={step.id} className={cardClass}>
          <div className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1">
            <h3 className="font-medium">
              {step.position}. {step.channel !== 'email' && `${channels[step.channel]}, `}
              {formatTiming(step)}
              {step.thread === 'same' && step.position > 1 && (
                <span className="font-normal text-muted">, in the same thread</span>
              )}
            </h3>
            <p className="text-muted text-sm tabular-nums">
              {stats && formatStepOrEmpty(getStepStats(step), step.channel)}
            </p>
          </div>
          {step.variants.map((variant, index) => (
            <Variant
              key={variant.id}
              variant={variant}
              test={
                step.variants.length > 1
                  ? { letter: letters[index] ?? '', numbers: variantNumbers(getStepStats(step), variant.id) }
                  : undefined
              }
            />
          ))}
          {getStepStats(step)
            ?.variants.filter(({ variantId }) => !step.variants.some(({ id }) => id === variantId))
            .map(removed => (
              <Line key={removed.variantId} label="A removed variant" numbers={formatEmailMetrics(removed)} />
            ))}
          {step.call && <CallStep call={step.call} />}
        </li>
      ))}
      {stats?.steps
        .filter(({ stepId }) => !steps.some(({ id }) => id === stepId))
        .map(removed => (
          <li key={removed.stepId} className={cardClass}>
            <Line label="A removed step" numbers={formatStepMetrics(removed)} />
          </li>
        ))}
      {outside && (
        <li className={cardClass}>
          <Line label="Outside the steps" numbers={outside} />
          <p className="text-muted text-sm">Answers to what was written by hand, and opt-outs elsewhere.</p>
        </li>
      )}
    </ol>
  )
}

const cardClass = 'rounded-card border border-line bg-surface p-4'

const Line = ({ label, numbers }: { label: string; numbers: string }) => (
  <p className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1 text-muted text-sm tabular-nums">
    <span className="font-medium text-text">{label}</span>
    <span>{numbers}</span>
  </p>
)

/** Who calls, and what follows. */
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
        {assistantId ? (assistant?.name ?? 'An assistant') : 'No assistant yet; who'} calls.{' '}
        {retries > 0
          ? `When nobody picks up, again ${formatDelay(retryAfter)} later, up to ${retries === 1 ? 'once' : `${retries} times`}.`
          : 'When nobody picks up, the next step comes.'}{' '}
        {onAnswered === 'stop'
          ? 'Whoever picks up gets nothing more.'
          : 'Whoever picks up gets the next step, too.'}
      </p>
      {facts.length > 0 && (
        <details className="mt-2">
          <summary className="cursor-pointer rounded-control hover:text-text">
            What the assistant is told
          </summary>
          <div className="mt-2 text-text">
            <DescriptionList facts={Object.fromEntries(facts)} />
          </div>
        </details>
      )}
    </div>
  )
}

/** The words as they were written: a template is shown, never run as a page. */
function Variant({
  variant: { subject, body, weight },
  test,
}: {
  variant: Step['variants'][number]
  /** Absent where there is nothing to compare. */
  test: { letter: string; numbers: string } | undefined
}) {
  return (
    <div className="mt-2 border-line border-t pt-2">
      {test && (
        <p className="flex flex-wrap justify-between gap-x-6 text-muted text-sm tabular-nums">
          <span className="font-medium text-text">
            Variant {test.letter}, weight {weight}
          </span>
          {test.numbers}
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

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'

const getFirstLine = (text: string): string => text.split('\n').find(line => line.trim()) ?? ''

const channels: Record<Exclude<Step['channel'], 'email'>, string> = {
  call: 'Call',
  linkedin_connect: 'LinkedIn invitation',
  linkedin_message: 'LinkedIn message',
  linkedin_view: 'Look at the LinkedIn profile',
  linkedin_like: 'Like a LinkedIn post',
  task: 'Task',
}

const units = { minutes: 'minute', hours: 'hour', days: 'day', business_days: 'business day' }

const formatDelay = ({ amount, unit }: Step['delay']): string =>
  `${formatNumber(amount)} ${units[unit]}${amount === 1 ? '' : 's'}`

function formatTiming({ position, channel, delay }: Step): string {
  const atOnce = channel === 'email' ? 'At once' : 'at once'
  if (delay.amount === 0) return position === 1 ? atOnce : `${atOnce} after the step before`
  const time = formatDelay(delay)
  return position === 1 ? `${time} after they come in` : `${time} later`
}

const formatStepOrEmpty = (found: StepStats | undefined, channel: Step['channel']): string => {
  if (found) return formatStepMetrics(found)
  return channel === 'email' ? 'Nothing sent yet' : channel === 'call' ? 'No call yet' : 'No task yet'
}

/** How a variant does beside the others. */
const variantNumbers = (found: StepStats | undefined, variantId: string): string => {
  const own = found?.variants.find(each => each.variantId === variantId)
  if (found?.tasks) return own ? formatReplyMetrics(own) : 'No answer yet'
  return own ? formatEmailMetrics(own) : 'Nothing sent yet'
}
