import { useEffect, useRef, useState } from 'react'
import type { DisplayError } from '../../ui/error-state.tsx'

const DELAY_MS = 1_000

/** Saves text after a pause in typing, one save at a time. Doesn't save empty text. */
export function useAutosave(initial: string, save: (text: string) => Promise<unknown>) {
  const latest = useRef(initial)
  const saved = useRef(initial)
  const pendingSave = useRef<Promise<unknown>>(Promise.resolve())
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const [status, setStatus] = useState('')
  const [isDirty, setDirty] = useState(false)
  const [error, setError] = useState<DisplayError>()
  useEffect(() => () => clearTimeout(timer.current), [])
  const isUnsaved = () => latest.current !== saved.current && latest.current.trim() !== ''
  /** Saves immediately. Rejects when saving fails. */
  const flush = (text: string): Promise<unknown> => {
    clearTimeout(timer.current)
    pendingSave.current = pendingSave.current
      .catch(() => {})
      .then(async () => {
        if (text === saved.current || !text.trim()) return
        setStatus('Saving…')
        await save(text)
        saved.current = text
        setError(undefined)
        // The text may have changed while saving.
        setStatus(isUnsaved() ? '' : 'Saved')
        setDirty(isUnsaved())
      })
    return pendingSave.current
  }
  const change = (text: string) => {
    clearTimeout(timer.current)
    latest.current = text
    setStatus('')
    setDirty(isUnsaved())
    timer.current = setTimeout(() => {
      flush(text).catch(error => {
        setStatus('')
        setError(error)
      })
    }, DELAY_MS)
  }
  /** Cancels the waiting save. Resolves when a running save ends. */
  const stop = async (): Promise<void> => {
    clearTimeout(timer.current)
    await pendingSave.current.catch(() => {})
    setDirty(false)
  }
  return { change, flush, stop, status, isDirty, error }
}
