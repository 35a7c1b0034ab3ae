import { TimeDialog, TimePicker } from './time-picker.tsx'

type Props = {
  /** Name of the snoozed item, which follows the title. */
  name?: string
  onChoose: (until: Date) => void
  onClose: () => void
}

export const SnoozePicker = (props: Props & { onChooseDate: () => void }) => (
  <TimePicker title="Snooze" label="Snooze until" {...props} />
)

export const SnoozeDateDialog = (props: Props) => <TimeDialog title="Snooze" label="Until" {...props} />
