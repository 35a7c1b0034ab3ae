import { lazy, type ReactNode, Suspense, useState } from 'react'
import type { PersonDialogName } from './person-dialog.tsx'
import type { Person } from './person-name.ts'

// Loaded when the action begins, so that the frame of all pages stays small.
const PersonDialog = lazy(async () => ({ default: (await import('./person-dialog.tsx')).PersonDialog }))

/** Returns a function that begins an action, which asks for its person first, and the dialog to render. */
export function usePersonDialog(): [begin: (action: PersonDialogName) => void, dialog: ReactNode] {
  const [asked, setAsked] = useState<{ action: PersonDialogName; person?: Person }>()
  const dialog = asked && (
    <Suspense>
      <PersonDialog
        {...asked}
        onChoose={person => setAsked({ ...asked, person })}
        onClose={() => setAsked(undefined)}
      />
    </Suspense>
  )
  return [action => setAsked({ action }), dialog]
}
