import { useEffect, useRef, useState } from 'react'
import type { Fault } from '../../ui/error-state.tsx'

const PAUSE_MS = 1_000

/** Saves what is typed after a pause, one save after the other; empty text is not worth one. */
export function useAutosave(initial: string, save: (text: string) => Promise<unknown>) {
  const saved = useRef(initial)
  const last = useRef<Promise<unknown>>(Promise.resolve())
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const [word, setWord] = useState('')
  const [isDirty, setDirty] = useState(false)
  const [fault, setFault] = useState<Fault>()
  useEffect(() => () => clearTimeout(timer.current), [])
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
        setFault(undefined)
        setWord('Saved')
      })
    return last.current
  }
  const change = (text: string) => {
    clearTimeout(timer.current)
    setWord('')
    setDirty(text !== saved.current && text.trim() !== '')
    timer.current = setTimeout(() => {
      flush(text).then(
        () => setDirty(false),
        error => {
          setWord('')
          setFault(error)
        },
      )
    }, PAUSE_MS)
  }
  const stop = () => {
    clearTimeout(timer.current)
    setDirty(false)
  }
  return { change, flush, stop, word, isDirty, fault }
}
