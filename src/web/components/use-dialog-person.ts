import { useEffect } from 'react'
import { useOperation } from '../api.ts'
import { showToast } from '../ui/toast.tsx'
import type { Person } from './person-name.ts'

/** Loads the person that a dialog is about. If that fails, a toast reports it, and the dialog closes. */
export function useDialogPerson(personId: string, onClose: () => void): Person | undefined {
  const { data: person, error } = useOperation('getPerson', { personId })
  useEffect(() => {
    if (person || !error) return
    showToast(error.message)
    onClose()
  })
  return person
}
