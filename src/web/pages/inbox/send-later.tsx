import { useState } from 'react'
import { TimeDialog, TimePicker } from '../../components/time-picker.tsx'
import { Button } from '../../ui/button.tsx'

type Props = { isBusy: boolean; onChoose: (sendAt: string) => void }

/** A button that asks when to send an email. */
export function SendLater({ isBusy, onChoose }: Props) {
  const [opened, setOpened] = useState<'times' | 'date'>()
  const close = () => setOpened(undefined)
  const choose = (at: Date) => onChoose(at.toISOString())
  return (
    <>
      <Button isBusy={isBusy} onClick={() => setOpened('times')}>
        Send later
      </Button>
      {opened === 'times' && (
        <TimePicker
          title="Send later"
          label="Send at"
          onClose={close}
          onChoose={choose}
          onChooseDate={() => setOpened('date')}
        />
      )}
      {opened === 'date' && (
        <TimeDialog title="Send later" label="Send at" onClose={close} onChoose={choose} />
      )}
    </>
  )
}
