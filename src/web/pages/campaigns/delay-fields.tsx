import { SelectField, TextField } from '../../ui/field.tsx'
import type { DelayDraft, Unit } from './step-drafts.ts'
import { units } from './step-labels.ts'

type Props = {
  label: string
  delay: DelayDraft
  error?: string | undefined
  onChange: (delay: DelayDraft) => void
}

/** Edits a delay as an amount and a unit. */
export const DelayFields = ({ label, delay, error, onChange }: Props) => (
  <div className="grid grid-cols-[6rem_minmax(0,11rem)] items-end gap-2">
    <TextField
      label={label}
      inputMode="numeric"
      autoComplete="off"
      value={delay.amount}
      error={error ?? (/^\d+$/.test(delay.amount) ? undefined : 'Enter a number')}
      onChange={event => onChange({ ...delay, amount: event.target.value.trim() })}
    />
    <SelectField
      label="Unit"
      value={delay.unit}
      onChange={event => onChange({ ...delay, unit: event.target.value as Unit })}
    >
      {Object.entries(units).map(([unit, name]) => (
        <option key={unit} value={unit}>
          {name}s
        </option>
      ))}
    </SelectField>
  </div>
)
