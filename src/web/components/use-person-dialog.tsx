import { type ReactNode, useState } from 'react'
import { loadDialog } from '../ui/load-dialog.tsx'
import type { PersonDialogName } from './person-dialog.tsx'
import type { Person } from './person-name.ts'

const PersonDialog = loadDialog(async () => (await import('./person-dialog.tsx')).PersonDialog)

/** Returns a function that begins an action, which asks for its person first, and the dialog to render. */
export function usePersonDialog(): [begin: (action: PersonDialogName) => void, dialog: ReactNode] {
  const [asked, setAsked] = useState<{ action: PersonDialogName; person?: Person }>()
  const dialog = asked && (
    <PersonDialog
      {...asked}
      onChoose={person => setAsked({ ...asked, person })}
      onClose={() => setAsked(undefined)}
    />
  )
  return [action => setAsked({ action }), dialog]
}
