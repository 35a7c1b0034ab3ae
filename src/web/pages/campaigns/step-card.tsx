import { useSortable } from '@dnd-kit/sortable'
import { CSS } from '@dnd-kit/utilities'
import { type Dispatch, memo, useState } from 'react'
import { flushSync } from 'react-dom'
import { Button } from '../../ui/button.tsx'
import { CheckField, TextField } from '../../ui/field.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { CloseIcon, DownIcon, DragIcon, UpIcon } from '../../ui/icons.tsx'
import { CallFields } from './call-fields.tsx'
import { DelayFields } from './delay-fields.tsx'
import { hasText, type StepDraft, startsThread } from './step-drafts.ts'
import { channelLabels, formatTiming, getFirstLine, letters } from './step-labels.ts'
import type { EditorAction, StepErrors } from './step-reducer.ts'
import { VariantEditor } from './variant-editor.tsx'

type Props = {
  step: StepDraft
  index: number
  isLast: boolean
  isOpen: boolean
  hasEarlierEmail: boolean
  /** The unmet requirement that keeps the step from being saved. */
  requirement: string | undefined
  errors: StepErrors[string] | undefined
  dispatch: Dispatch<EditorAction>
  onMove: (key: string, to: number) => void
  onRemove: (step: StepDraft, index: number) => void
}

/** Shows one step of the sequence, with its fields if it is open. */
export const StepCard = memo(function StepCard(props: Props) {
  const { step, index, isLast, isOpen, requirement, errors, dispatch, onMove, onRemove } = props
  const { key, channel } = step
  const sortable = useSortable({ id: key })
  const title = `${index + 1}. ${channelLabels[channel]}`
  const isFirst = index === 0
  const [isTouched, setTouched] = useState(false)
  const handleKeyDown = (event: React.KeyboardEvent) => {
    if (!event.altKey || !['ArrowUp', 'ArrowDown'].includes(event.key)) return
    event.preventDefault()
    onMove(key, index + (event.key === 'ArrowUp' ? -1 : 1))
  }
  return (
    <li
      ref={sortable.setNodeRef}
      style={{ transform: CSS.Translate.toString(sortable.transform), transition: sortable.transition }}
      onKeyDown={handleKeyDown}
      onBlur={({ target }) => target.matches('input, textarea') && setTouched(true)}
      data-step={key}
      className={`relative rounded-card border bg-surface ${isOpen ? 'border-accent' : 'border-line'} ${sortable.isDragging ? 'z-10 shadow-float' : ''}`}
    >
      <div className="flex items-start gap-1 p-2">
        <span
          ref={sortable.setActivatorNodeRef}
          {...sortable.listeners}
          aria-hidden="true"
          title="Drag to reorder"
          className="hidden h-9 w-6 shrink-0 cursor-grab touch-none place-items-center text-muted narrow:grid"
        >
          <DragIcon size={16} />
        </span>
        <h3 className="min-w-0 flex-1">
          <button
            type="button"
            aria-expanded={isOpen}
            onClick={() => dispatch({ type: 'open', key: isOpen ? undefined : key })}
            className="block w-full rounded-control px-2 py-1.5 text-left hover:bg-sunken"
          >
            <span className="block">
              <span className="font-medium">{title}</span>
              <span className="text-muted">, {describeTiming(step, index)}</span>
            </span>
            {!isOpen && <span className="block truncate text-muted text-sm">{summarize(step)}</span>}
            {errors ? (
              <span className="block text-red text-sm">Needs a correction</span>
            ) : (
              requirement &&
              (isTouched || !isOpen) && <span className="block text-amber text-sm">Needs {requirement}</span>
            )}
            {isUnfinished(step) && (
              <span className="block text-amber text-sm">Replace the text in [[double brackets]]</span>
            )}
          </button>
        </h3>
        <IconButton
          label={`Move step ${index + 1} up`}
          isDisabled={isFirst}
          onClick={() => onMove(key, index - 1)}
        >
          <UpIcon size={16} />
        </IconButton>
        <IconButton
          label={`Move step ${index + 1} down`}
          isDisabled={isLast}
          onClick={() => onMove(key, index + 1)}
        >
          <DownIcon size={16} />
        </IconButton>
        <IconButton
          label={`Remove step ${index + 1}`}
          isDisabled={isFirst && isLast}
          onClick={() => onRemove(step, index)}
        >
          <CloseIcon size={16} />
        </IconButton>
      </div>
      {isOpen && <StepFields {...props} />}
    </li>
  )
})

function StepFields({ step, index, hasEarlierEmail, errors, dispatch }: Props) {
  const { key, channel, variants } = step
  const change = (changed: Partial<StepDraft>) => dispatch({ type: 'change', key, change: changed })
  const handleAddVariant = ({ currentTarget }: React.MouseEvent) => {
    flushSync(() => dispatch({ type: 'add_variant', key }))
    const fieldsets = currentTarget.parentElement?.querySelectorAll('fieldset')
    fieldsets?.[fieldsets.length - 1]?.querySelector<HTMLElement>('[data-autofocus]')?.focus()
  }
  const total = variants.reduce((sum, { weight }) => sum + (Number(weight) || 0), 0)
  const stepErrors = Object.entries(errors ?? {}).filter(([path]) => !isFieldPath(path))
  return (
    <div className="grid gap-4 border-line border-t p-4">
      {stepErrors.map(([path, message]) => (
        <p key={path} role="alert" className="text-red text-sm">
          {message}
        </p>
      ))}
      <DelayFields
        label={index === 0 ? 'Start after' : 'Wait'}
        delay={step.delay}
        error={errors?.['delay.amount']}
        onChange={delay => change({ delay })}
      />
      {channel === 'email' && hasEarlierEmail && (
        <CheckField
          label="Reply in the same thread"
          help="The email continues the previous thread and keeps its subject."
          checked={step.thread === 'same'}
          onChange={event => change({ thread: event.target.checked ? 'same' : 'new' })}
        />
      )}
      {channel === 'linkedin_message' && (
        <TextField
          label="Days to wait for the invitation to be accepted"
          inputMode="numeric"
          autoComplete="off"
          value={step.acceptWithinDays}
          error={errors?.acceptWithinDays}
          help="If it isn’t accepted by then, the message is skipped."
          onChange={event => change({ acceptWithinDays: event.target.value.trim() })}
        />
      )}
      {channel === 'call' && (
        <CallFields call={step.call} errors={errors} onChange={call => change({ call })} />
      )}
      {variants.map((variant, variantIndex) => (
        <VariantEditor
          key={variant.key}
          step={step}
          variant={variant}
          test={
            variants.length > 1
              ? {
                  letter: letters[variantIndex] ?? '',
                  share: total > 0 ? Math.round(((Number(variant.weight) || 0) / total) * 100) : 0,
                }
              : undefined
          }
          hasSubject={startsThread(step, hasEarlierEmail)}
          errors={errors}
          dispatch={dispatch}
        />
      ))}
      {variants.length > 1 && (
        <p className="max-w-[72ch] text-muted text-sm">
          Each variant needs at least 100 people before the results can be compared.
        </p>
      )}
      {hasText(channel) && variants.length < MAX_VARIANTS && (
        <Button size="small" className="justify-self-start" onClick={handleAddVariant}>
          Add variant {letters[variants.length]}
        </Button>
      )}
      {!hasText(channel) && channel !== 'call' && (
        <p className="max-w-[72ch] text-muted text-sm">
          The rep gets a task to {channel === 'linkedin_view' ? 'visit the profile' : 'like a post'}. It has
          no text.
        </p>
      )}
    </div>
  )
}

const MAX_VARIANTS = 10

/** Reports whether a field shows the error at this path. */
const isFieldPath = (path: string): boolean =>
  /^(delay\.amount|acceptWithinDays|call\.(assistantId|data(\..+)?|retries|retryAfter\.amount)|variants\.[^.]+\.(subject|body))$/.test(
    path,
  )

const describeTiming = ({ delay }: StepDraft, index: number): string =>
  formatTiming(index + 1, { ...delay, amount: Number(delay.amount) || 0 })

const summarize = ({ channel, variants, call }: StepDraft): string => {
  const [first] = variants
  if (channel === 'call') return call.assistantId ? 'An assistant calls' : 'No assistant yet'
  const count = variants.length > 1 ? `${variants.length} variants: ` : ''
  return first ? count + (first.subject || getFirstLine(first.body)) : ''
}

/** Reports whether text from a template still has to be replaced. */
const isUnfinished = ({ variants }: StepDraft): boolean =>
  variants.some(({ subject, body }) => /\[\[.*\]\]/s.test(subject + body))
