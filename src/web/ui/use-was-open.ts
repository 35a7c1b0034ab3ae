import { useState } from 'react'

/**
 * Returns whether a dialog is or was open. It is loaded when it is opened first, and stays mounted from then on: it gives
 * the focus back when it closes.
 */
export function useWasOpen(isOpen: boolean): boolean {
  const [wasOpen, setWasOpen] = useState(isOpen)
  if (isOpen && !wasOpen) setWasOpen(true)
  return wasOpen || isOpen
}
