import { useState } from 'react'
import { Button } from '../ui/button.tsx'
import { CommandPalette, type CommandResults } from '../ui/command-palette.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { parseTime } from './parse-time.ts'
import { formatSnoozeTime, getSnoozeTimes } from './snooze-times.ts'

type Props = {
  /** A verb, such as `Snooze`, which is also the label of the dialog's button. */
  title: string
  /** Follows the verb in the title. */
  name?: string
  label: string
  onChoose: (at: Date) => void
  onClose: () => void
}

/** Offers common times, such as tomorrow morning, and the time that the user types. */
export function TimePicker({
  title,
  name,
  label,
  onChoose,
  onChooseDate,
  onClose,
}: Props & { onChooseDate: () => void }) {
  const [times] = useState(() => getSnoozeTimes(new Date()))
  const findTypedTime = (text: string): CommandResults => {
    const at = parseTime(text, new Date())
    const isOffered = times.some(time => time.at.getTime() === at?.getTime())
    const commands = at && !isOffered ? [{ label: formatSnoozeTime(at), run: () => onChoose(at) }] : []
    return { commands, isCurrent: true }
  }
  return (
    <CommandPalette
      isOpen
      onClose={onClose}
      title={name ? `${title} ${name}` : title}
      isTitled={name !== undefined}
      placeholder={label}
      emptyText="Type a day and a time, such as “fri 9”, “in 3 days” or “12 dec 14:00”."
      useResults={findTypedTime}
      commands={[
        ...times.map(({ label, at }) => ({
          label,
          hint: formatSnoozeTime(at),
          run: () => onChoose(at),
        })),
        { label: 'Choose date and time', run: onChooseDate },
      ]}
    />
  )
}

/** Asks for a date and time in the future. */
export function TimeDialog({ title, name, label, onChoose, onClose }: Props) {
  const [value, setValue] = useState('')
  const [error, setError] = useState<string>()
  const handleSubmit = (event: React.FormEvent) => {
    event.preventDefault()
    const at = new Date(value)
    if (!(at.getTime() > Date.now())) {
      setError('Choose a time in the future.')
      return
    }
    onClose()
    onChoose(at)
  }
  return (
    <Dialog isOpen onClose={onClose} title={name ? `${title} ${name}` : title}>
      <form noValidate onSubmit={handleSubmit} className="grid gap-5">
        <TextField
          label={label}
          type="datetime-local"
          value={value}
          error={error}
          onChange={({ target }) => setValue(target.value)}
        />
        <div>
          <Button type="submit" look="primary">
            {title}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
