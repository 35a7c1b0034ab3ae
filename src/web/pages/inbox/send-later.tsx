import { useState } from 'react'
import { TimeDialog, TimePicker } from '../../components/time-picker.tsx'
import { Button } from '../../ui/button.tsx'

type Props = { isBusy: boolean; onChoose: (sendAt: string) => void }

/** Shows a button that asks when to send an email. */
export function SendLater({ isBusy, onChoose }: Props) {
  const [openDialog, setOpenDialog] = useState<'times' | 'date'>()
  const close = () => setOpenDialog(undefined)
  const choose = (at: Date) => onChoose(at.toISOString())
  return (
    <>
      <Button isBusy={isBusy} onClick={() => setOpenDialog('times')}>
        Send later
      </Button>
      {openDialog === 'times' && (
        <TimePicker
          title="Send later"
          label="Send at"
          onClose={close}
          onChoose={choose}
          onChooseDate={() => setOpenDialog('date')}
        />
      )}
      {openDialog === 'date' && (
        <TimeDialog title="Send later" label="Send at" onClose={close} onChoose={choose} />
      )}
    </>
  )
}
