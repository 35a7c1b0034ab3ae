import { useState } from 'react'
import { type Schedule, weekdays } from '../../../contract/schedule.ts'
import { Button } from '../../ui/button.tsx'
import { FieldGroup, TextField } from '../../ui/field.tsx'
import { CloseIcon } from '../../ui/icons.tsx'
import { formatDay } from '../../ui/time.tsx'
import { TimezoneField } from '../../ui/timezone-field.tsx'
import { officeHours } from './office-hours.ts'

type Window = Schedule['windows'][number]

const dayLabels = {
  mon: ['Mon', 'Monday'],
  tue: ['Tue', 'Tuesday'],
  wed: ['Wed', 'Wednesday'],
  thu: ['Thu', 'Thursday'],
  fri: ['Fri', 'Friday'],
  sat: ['Sat', 'Saturday'],
  sun: ['Sun', 'Sunday'],
} as const

type Props = {
  schedule: Schedule | null
  accountTimezone: string
  onChange: (schedule: Schedule | null) => void
  /** Returns the validation error of a field of the schedule. */
  getError: (path: string) => string | undefined
}

/** Shows fields for the times at which a campaign may send; a null schedule means at any time. */
export function ScheduleFields({ schedule, accountTimezone, onChange, getError }: Props) {
  return (
    <>
      <FieldGroup
        label="Sending hours"
        help="In each prospect’s own time zone. Without sending hours, the first emails are sent as soon as you launch."
      >
        <Radio label="At any time" isChosen={schedule === null} onChoose={() => onChange(null)} />
        <Radio
          label="Only during these hours"
          isChosen={schedule !== null}
          onChoose={() => onChange({ windows: [officeHours] })}
        />
        {schedule?.windows.map((window, index) => (
          <WindowFields
            // biome-ignore lint/suspicious/noArrayIndexKey: hours have no other identity
            key={index}
            label={`Hours ${index + 1}`}
            window={window}
            error={
              getError(`windows.${index}.days`) ??
              getError(`windows.${index}.from`) ??
              getError(`windows.${index}.to`)
            }
            onChange={changed => onChange({ ...schedule, windows: schedule.windows.with(index, changed) })}
            onRemove={
              schedule.windows.length > 1
                ? () => onChange({ ...schedule, windows: schedule.windows.toSpliced(index, 1) })
                : undefined
            }
          />
        ))}
        {schedule && (
          <Button
            size="small"
            className="justify-self-start"
            onClick={() => onChange({ ...schedule, windows: [...schedule.windows, { ...officeHours }] })}
          >
            Add hours
          </Button>
        )}
      </FieldGroup>
      {schedule && (
        <>
          <TimezoneField
            label="Default time zone"
            none={`Account time zone (${accountTimezone.replaceAll('_', ' ')})`}
            help="For prospects whose own time zone is unknown."
            value={schedule.timezone ?? ''}
            onChange={({ target }) => onChange(withOptional(schedule, 'timezone', target.value))}
            error={getError('timezone')}
          />
          <Holidays
            days={schedule.holidays ?? []}
            error={getError('holidays')}
            onChange={holidays => onChange({ ...schedule, holidays })}
          />
          <div className="grid gap-5 narrow:grid-cols-2">
            <TextField
              label="First day"
              type="date"
              isOptional
              value={schedule.earliest ?? ''}
              onChange={({ target }) => onChange(withOptional(schedule, 'earliest', target.value))}
              error={getError('earliest')}
            />
            <TextField
              label="Last day"
              type="date"
              isOptional
              value={schedule.latest ?? ''}
              onChange={({ target }) => onChange(withOptional(schedule, 'latest', target.value))}
              error={getError('latest')}
            />
          </div>
        </>
      )}
    </>
  )
}

/** Sets a field of the schedule, or removes it if the value is empty. */
const withOptional = (
  schedule: Schedule,
  key: 'timezone' | 'earliest' | 'latest',
  value: string,
): Schedule => {
  const { [key]: _previous, ...others } = schedule
  return { ...others, ...(value && { [key]: value }) }
}

const Radio = (props: { label: string; isChosen: boolean; onChoose: () => void }) => (
  <label className="flex items-center gap-2.5">
    <input
      type="radio"
      checked={props.isChosen}
      onChange={props.onChoose}
      name="sending-hours"
      className="size-4 accent-solid"
    />
    {props.label}
  </label>
)

type WindowProps = {
  label: string
  window: Window
  error: string | undefined
  onChange: (window: Window) => void
  onRemove: (() => void) | undefined
}

function WindowFields({ label, window, error, onChange, onRemove }: WindowProps) {
  const { days, from, to } = window
  const toggle = (day: Window['days'][number], isOn: boolean) =>
    onChange({ ...window, days: weekdays.filter(each => (each === day ? isOn : days.includes(each))) })
  return (
    <fieldset aria-label={label} className="min-w-0 rounded-control border border-line p-3">
      <div className="flex flex-wrap gap-1.5">
        {weekdays.map(day => (
          <label
            key={day}
            className="cursor-pointer rounded-control border border-edge/60 px-2 py-1 text-sm has-checked:border-accent has-checked:bg-accent-quiet has-checked:text-accent has-focus-visible:outline-2 has-focus-visible:outline-accent has-focus-visible:outline-offset-2"
          >
            <input
              type="checkbox"
              aria-label={dayLabels[day][1]}
              checked={days.includes(day)}
              onChange={({ target }) => toggle(day, target.checked)}
              className="sr-only"
            />
            {dayLabels[day][0]}
          </label>
        ))}
      </div>
      <div className="mt-2.5 flex flex-wrap items-center gap-2">
        <input
          type="time"
          aria-label={`${label}: from`}
          value={from}
          onChange={({ target }) => onChange({ ...window, from: target.value })}
          className={timeClass}
        />
        to
        <input
          type="time"
          aria-label={`${label}: to`}
          // A time input can't show 24:00, so the end of the day is shown as 00:00.
          value={to === '24:00' ? '00:00' : to}
          onChange={({ target }) =>
            onChange({ ...window, to: target.value === '00:00' ? '24:00' : target.value })
          }
          className={timeClass}
        />
        {onRemove && (
          <Button size="small" aria-label={`Remove ${label.toLowerCase()}`} onClick={onRemove}>
            Remove
          </Button>
        )}
      </div>
      {error && (
        <p role="alert" className="mt-2 text-red text-sm">
          {error}
        </p>
      )}
    </fieldset>
  )
}

const timeClass = 'h-9 rounded-control border border-edge bg-surface px-2.5'

type HolidaysProps = { days: string[]; error: string | undefined; onChange: (days: string[]) => void }

function Holidays({ days, error, onChange }: HolidaysProps) {
  const [day, setDay] = useState('')
  // A day becomes a holiday as soon as it is entered, so that it is saved even without “Add holiday”. `added` is the
  // day in the field, which the next change replaces; empty if the day was already a holiday.
  const [added, setAdded] = useState('')
  const others = days.filter(each => each !== added)
  const handleChange = (changed: string) => {
    const isNew = changed !== '' && !others.includes(changed)
    setDay(changed)
    setAdded(isNew ? changed : '')
    onChange(isNew ? [...others, changed].sort() : others)
  }
  const clear = () => {
    setDay('')
    setAdded('')
  }
  return (
    <FieldGroup label="Holidays" help="Nothing is sent on these days." error={error}>
      {others.length > 0 && (
        <ul className="flex flex-wrap gap-1.5">
          {others.map(date => (
            <li
              key={date}
              className="flex items-center gap-1 rounded-control border border-line bg-sunken pl-2 text-sm"
            >
              {formatDay(date)} {date.slice(0, 4)}
              <button
                type="button"
                aria-label={`Remove ${formatDay(date)} ${date.slice(0, 4)}`}
                onClick={() => onChange(days.filter(each => each !== date))}
                className="rounded-control p-1 text-muted hover:text-text"
              >
                <CloseIcon size={14} />
              </button>
            </li>
          ))}
        </ul>
      )}
      <div className="flex flex-wrap items-center gap-2">
        <input
          type="date"
          aria-label="Holiday"
          value={day}
          onChange={({ target }) => handleChange(target.value)}
          onKeyDown={event => {
            if (event.key !== 'Enter') return
            event.preventDefault()
            clear()
          }}
          className={timeClass}
        />
        <Button size="small" onClick={clear}>
          Add holiday
        </Button>
      </div>
    </FieldGroup>
  )
}
