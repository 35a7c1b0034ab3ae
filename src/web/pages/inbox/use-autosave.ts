import { useEffect, useRef, useState } from 'react'
import type { DisplayError } from '../../ui/error-state.tsx'

const PAUSE_MS = 1_000

/** Saves what is typed after a pause, one save after the other; empty text is not worth one. */
export function useAutosave(initial: string, save: (text: string) => Promise<unknown>) {
  const latest = useRef(initial)
  const saved = useRef(initial)
  const last = useRef<Promise<unknown>>(Promise.resolve())
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const [word, setWord] = useState('')
  const [isDirty, setDirty] = useState(false)
  const [error, setError] = useState<DisplayError>()
  useEffect(() => () => clearTimeout(timer.current), [])
  const isUnsaved = () => latest.current !== saved.current && latest.current.trim() !== ''
  /** Fails when it could not be saved. */
  const flush = (text: string): Promise<unknown> => {
    clearTimeout(timer.current)
    last.current = last.current
      .catch(() => {})
      .then(async () => {
        if (text === saved.current || !text.trim()) return
        setWord('Saving…')
        await save(text)
        saved.current = text
        setError(undefined)
        // More may have been typed meanwhile.
        setWord(isUnsaved() ? '' : 'Saved')
        setDirty(isUnsaved())
      })
    return last.current
  }
  const change = (text: string) => {
    clearTimeout(timer.current)
    latest.current = text
    setWord('')
    setDirty(isUnsaved())
    timer.current = setTimeout(() => {
      flush(text).catch(error => {
        setWord('')
        setError(error)
      })
    }, PAUSE_MS)
  }
  /** What waits is not saved any more; ends with the save that is under way. */
  const stop = async (): Promise<void> => {
    clearTimeout(timer.current)
    await last.current.catch(() => {})
    setDirty(false)
  }
  return { change, flush, stop, word, isDirty, error }
}
