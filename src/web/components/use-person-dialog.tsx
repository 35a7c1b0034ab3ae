import { type ReactNode, useState } from 'react'
import { loadDialog } from '../ui/load-dialog.tsx'
import type { PersonDialogName } from './person-dialog.tsx'
import type { Person } from './person-name.ts'

const PersonDialog = loadDialog(async () => (await import('./person-dialog.tsx')).PersonDialog)

/** Returns a function that begins an action by asking for a person, and the dialog to render. */
export function usePersonDialog(): [begin: (action: PersonDialogName) => void, dialog: ReactNode] {
  const [state, setState] = useState<{ action: PersonDialogName; person?: Person }>()
  const dialog = state && (
    <PersonDialog
      {...state}
      onChoose={person => setState({ ...state, person })}
      onClose={() => setState(undefined)}
    />
  )
  return [action => setState({ action }), dialog]
}
