import { type Dispatch, memo, useCallback, useRef } from 'react'
import { maxNoteLength } from '../../../contract/campaigns.ts'
import { Button } from '../../ui/button.tsx'
import { LongTextField, TextField } from '../../ui/field.tsx'
import { formatNumber } from '../../ui/time.tsx'
import type { StepDraft, VariantDraft } from './step-drafts.ts'
import type { EditorAction, StepErrors } from './step-reducer.ts'
import { VariableMenu as RenderedVariableMenu, type TextControl } from './variable-menu.tsx'

type Props = {
  step: StepDraft
  variant: VariantDraft
  /** Letter and share of the variant; undefined for the only one. */
  test: { letter: string; share: number } | undefined
  hasSubject: boolean
  errors: StepErrors[string] | undefined
  dispatch: Dispatch<EditorAction>
}

/** Memoized, so that typing doesn't re-render the menu. */
const VariableMenu = memo(RenderedVariableMenu)

/** LinkedIn's limit for messages. */
const MAX_MESSAGE_LENGTH = 8_000
const LONG_SUBJECT = 78
const MANY_LINKS = 3

/** Edits the text of a step, or of one of its variants. */
export function VariantEditor({ step, variant, test, hasSubject, errors, dispatch }: Props) {
  const { subject, body, weight, key } = variant
  const bodyField = useRef<HTMLTextAreaElement>(null)
  const lastField = useRef<TextControl>(null)
  const getField = useCallback(() => lastField.current ?? bodyField.current, [])
  const change = (changed: Partial<VariantDraft>) =>
    dispatch({ type: 'change_variant', key: step.key, variant: key, change: changed })
  const remember = (event: React.FocusEvent<TextControl>) => {
    lastField.current = event.currentTarget
  }
  const suffix = test ? ` of variant ${test.letter}` : ''
  const isEmail = step.channel === 'email'
  return (
    <fieldset
      onFocus={() => dispatch({ type: 'focus_variant', variant: key })}
      className={test ? 'grid gap-3 rounded-card border border-line p-3' : 'grid gap-3'}
    >
      {test && (
        <legend className="px-1 font-medium">
          Variant {test.letter}
          <span className="ml-2 font-normal text-muted tabular-nums">{test.share}% of people</span>
        </legend>
      )}
      {hasSubject && (
        <TextField
          label={`Subject${suffix}`}
          autoComplete="off"
          value={subject}
          data-autofocus
          error={errors?.[`variants.${key}.subject`]}
          help={[...subject].length > LONG_SUBJECT ? 'Many mail apps cut off long subjects.' : undefined}
          onFocus={remember}
          onChange={event => change({ subject: event.target.value })}
        />
      )}
      <LongTextField
        ref={bodyField}
        label={`${bodyLabels[step.channel] ?? 'Message'}${suffix}`}
        isOptional={step.channel === 'linkedin_connect'}
        rows={Math.min(20, Math.max(isEmail ? 7 : 4, body.split('\n').length + 1))}
        value={body}
        data-autofocus
        error={errors?.[`variants.${key}.body`]}
        help={describeLength(step.channel, body)}
        onFocus={remember}
        onChange={event => change({ body: event.target.value })}
      />
      <div className="flex flex-wrap items-end gap-2">
        <VariableMenu getField={getField} hasSender={isEmail} />
        {test && (
          <div className="ml-auto flex items-center gap-1">
            <label className="flex items-center gap-2 text-sm">
              Weight
              <input
                inputMode="numeric"
                aria-label={`Weight${suffix}`}
                value={weight}
                onChange={event => change({ weight: event.target.value.trim() })}
                className="h-7 w-12 rounded-control border border-edge bg-surface px-2"
              />
            </label>
            <Button
              size="small"
              look="quiet"
              aria-label={`Remove variant ${test.letter}`}
              onClick={() => dispatch({ type: 'remove_variant', key: step.key, variant: key })}
            >
              Remove
            </Button>
          </div>
        )}
      </div>
    </fieldset>
  )
}

const bodyLabels: Partial<Record<StepDraft['channel'], string>> = {
  linkedin_connect: 'Note',
  task: 'Instructions',
}

/** Describes a text's length and its channel's limit. With variables or spintax, the length is an estimate. */
function describeLength(channel: StepDraft['channel'], body: string): string | undefined {
  const length = [...body.trim()].length
  const about = body.includes('{') ? 'About ' : ''
  if (channel === 'linkedin_connect') {
    const advice =
      length > maxNoteLength ? ' Shorten it: some LinkedIn accounts can’t send longer notes.' : ''
    return `${about}${length} of ${maxNoteLength} characters.${advice}`
  }
  if (channel === 'linkedin_message')
    return `${about}${formatNumber(length)} of ${formatNumber(MAX_MESSAGE_LENGTH)} characters.`
  if (channel === 'task') return undefined
  if (length === 0) return spintaxHint
  // A variable counts as one word.
  const words = body
    .trim()
    .replace(/\{\{.*?\}\}/g, 'x')
    .split(/\s+/).length
  const links = body.match(/https?:\/\//g)?.length ?? 0
  return [
    `${formatNumber(words)} ${words === 1 ? 'word' : 'words'}`,
    links > 0 && `, ${links} ${links === 1 ? 'link' : 'links'}`,
    '. ',
    links >= MANY_LINKS && 'Emails with many links often land in spam. ',
    'The signature and the opt-out line are added automatically. ',
    spintaxHint,
  ]
    .filter(Boolean)
    .join('')
}

const spintaxHint = 'Write {Hi|Hello} to vary a word: each person gets one of the options.'
