import { useState } from 'react'
import { Button } from '../ui/button.tsx'
import { CommandPalette } from '../ui/command-palette.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { formatSnoozeTime, getSnoozeTimes } from './snooze-times.ts'

type Props = {
  /** A verb, such as `Snooze`, which is also the button of the dialog. */
  title: string
  label: string
  onChoose: (at: Date) => void
  onClose: () => void
}

/** Offers the usual times, such as tomorrow morning. */
export function TimePicker({
  title,
  label,
  onChoose,
  onChooseDate,
  onClose,
}: Props & { onChooseDate: () => void }) {
  const [times] = useState(() => getSnoozeTimes(new Date()))
  return (
    <CommandPalette
      isOpen
      onClose={onClose}
      title={title}
      placeholder={label}
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
export function TimeDialog({ title, label, onChoose, onClose }: Props) {
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
    <Dialog isOpen onClose={onClose} title={title}>
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
