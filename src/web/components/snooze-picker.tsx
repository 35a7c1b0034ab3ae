import { TimeDialog, TimePicker } from './time-picker.tsx'

type Props = { onChoose: (until: Date) => void; onClose: () => void }

export const SnoozePicker = (props: Props & { onChooseDate: () => void }) => (
  <TimePicker title="Snooze" label="Snooze until" {...props} />
)

export const SnoozeDateDialog = (props: Props) => <TimeDialog title="Snooze" label="Until" {...props} />
