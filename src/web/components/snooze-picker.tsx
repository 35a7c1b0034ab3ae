import { useState } from 'react'
import { Button } from '../ui/button.tsx'
import { CommandPalette } from '../ui/command-palette.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { formatSnoozeTime, getSnoozeTimes } from './snooze-times.ts'

type Props = { onChoose: (until: Date) => void; onClose: () => void }

export function SnoozePicker({ onChoose, onChooseDate, onClose }: Props & { onChooseDate: () => void }) {
  const [times] = useState(() => getSnoozeTimes(new Date()))
  return (
    <CommandPalette
      isOpen
      onClose={onClose}
      title="Snooze"
      placeholder="Snooze until"
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

export function SnoozeDateDialog({ onChoose, onClose }: Props) {
  const [value, setValue] = useState('')
  const [error, setError] = useState<string>()
  const handleSubmit = (event: React.FormEvent) => {
    event.preventDefault()
    const until = new Date(value)
    if (!(until.getTime() > Date.now())) {
      setError('Choose a time in the future.')
      return
    }
    onClose()
    onChoose(until)
  }
  return (
    <Dialog isOpen onClose={onClose} title="Snooze">
      <form noValidate onSubmit={handleSubmit} className="grid gap-5">
        <TextField
          label="Until"
          type="datetime-local"
          value={value}
          error={error}
          onChange={({ target }) => setValue(target.value)}
        />
        <div>
          <Button type="submit" look="primary">
            Snooze
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
