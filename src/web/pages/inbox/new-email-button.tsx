import { useState } from 'react'
import { usePermission } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { useShortcuts } from '../../ui/use-shortcuts.ts'
import { PersonPicker } from './person-picker.tsx'

/** Shows a button, with the shortcut `c`, that begins an email to a person outside campaigns. */
export function NewEmailButton() {
  const canWrite = usePermission('Inbox.SendMessage')
  const [isOpen, setOpen] = useState(false)
  const open = () => canWrite && setOpen(true)
  useShortcuts({ c: open })
  if (!canWrite) return null
  return (
    <>
      <Button title="Key: c" onClick={open}>
        New email
      </Button>
      {isOpen && <PersonPicker onClose={() => setOpen(false)} />}
    </>
  )
}
