import { useOperation } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { LongTextField, SelectField, TextField } from '../../ui/field.tsx'
import { DelayFields } from './delay-fields.tsx'
import { type CallDraft, createFact } from './step-drafts.ts'
import type { StepErrors } from './step-reducer.ts'

type Props = {
  call: CallDraft
  errors: StepErrors[string] | undefined
  onChange: (call: CallDraft) => void
}

/** Edits a call step: its assistant, the facts for the assistant, and what happens after the call. */
export function CallFields({ call, errors, onChange }: Props) {
  const { data: assistants } = useOperation('listAssistants', { limit: 100 })
  const change = (changed: Partial<CallDraft>) => onChange({ ...call, ...changed })
  return (
    <>
      <SelectField
        label="Assistant"
        value={call.assistantId}
        help={
          assistants?.data.length === 0
            ? 'Your account has no assistant yet. Add one under Calls, then choose it here.'
            : 'Needed before you launch the campaign.'
        }
        error={errors?.['call.assistantId']}
        onChange={event => change({ assistantId: event.target.value })}
        data-autofocus
      >
        <option value="">Choose later</option>
        {assistants?.data.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
      <CallFacts call={call} errors={errors} onChange={onChange} />
      <SelectField
        label="If somebody answers"
        value={call.onAnswered}
        onChange={event => change({ onAnswered: event.target.value as CallDraft['onAnswered'] })}
      >
        <option value="stop">Stop the sequence</option>
        <option value="continue">Continue with the next step</option>
      </SelectField>
      <div className="flex flex-wrap items-end gap-x-4 gap-y-3">
        <SelectField
          label="If nobody answers"
          value={call.retries}
          error={errors?.['call.retries']}
          onChange={event => change({ retries: event.target.value })}
        >
          <option value="0">Go to the next step</option>
          <option value="1">Try again once</option>
          {[2, 3, 4, 5].map(times => (
            <option key={times} value={times}>
              Try again {times} times
            </option>
          ))}
        </SelectField>
        {call.retries !== '0' && (
          <DelayFields
            label="After"
            delay={call.retryAfter}
            error={errors?.['call.retryAfter.amount']}
            onChange={retryAfter => change({ retryAfter })}
          />
        )}
      </div>
    </>
  )
}

function CallFacts({ call, errors, onChange }: Props) {
  const setFacts = (facts: CallDraft['facts']) => onChange({ ...call, facts })
  return (
    <fieldset className="grid gap-3">
      <legend className="font-medium">Facts for the assistant</legend>
      <p className="text-muted text-sm">
        Anything it should know, such as the reason for the call. Values may contain variables.
      </p>
      {errors?.['call.data'] && <p className="text-red text-sm">{errors['call.data']}</p>}
      {call.facts.map((fact, index) => {
        const change = (changed: Partial<typeof fact>) =>
          setFacts(call.facts.with(index, { ...fact, ...changed }))
        return (
          <div key={fact.key} className="grid gap-2 rounded-control bg-sunken/60 p-3">
            <TextField
              label="Name"
              placeholder="reason"
              value={fact.name}
              onChange={event => change({ name: event.target.value })}
            />
            <LongTextField
              label="Value"
              rows={2}
              placeholder={'{{ company | default: "their company" }} asked for a demo'}
              value={fact.value}
              error={errors?.[`call.data.${fact.name.trim()}`]}
              onChange={event => change({ value: event.target.value })}
            />
            <Button
              size="small"
              look="quiet"
              className="justify-self-start"
              aria-label={`Remove fact ${fact.name || index + 1}`}
              onClick={() => setFacts(call.facts.toSpliced(index, 1))}
            >
              Remove fact
            </Button>
          </div>
        )
      })}
      <Button
        size="small"
        className="justify-self-start"
        onClick={() => setFacts([...call.facts, createFact()])}
      >
        Add fact
      </Button>
    </fieldset>
  )
}
