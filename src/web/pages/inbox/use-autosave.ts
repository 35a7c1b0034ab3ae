import { useEffect, useRef, useState } from 'react'
import type { DisplayError } from '../../ui/error-state.tsx'

const DELAY_MS = 1_000

/** The content of a draft. Immutable: a change replaces it. */
export type Content = { readonly text: string }

/** Saves content after a pause in typing, one save at a time. */
export function useAutosave<C extends Content>(
  initial: C,
  save: (content: C) => Promise<unknown>,
  canSave: (content: C) => boolean,
) {
  const latest = useRef(initial)
  const saved = useRef(initial)
  const pendingSave = useRef<Promise<unknown>>(Promise.resolve())
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const [status, setStatus] = useState('')
  const [isDirty, setDirty] = useState(false)
  const [error, setError] = useState<DisplayError>()
  useEffect(() => () => clearTimeout(timer.current), [])
  const isUnsaved = () => latest.current !== saved.current && hasText(latest.current)
  /** Saves immediately. Rejects when saving fails. */
  const flush = (content: C): Promise<unknown> => {
    clearTimeout(timer.current)
    pendingSave.current = pendingSave.current
      .catch(() => {})
      .then(async () => {
        if (content === saved.current || !canSave(content)) return
        setStatus('Saving…')
        await save(content)
        saved.current = content
        setError(undefined)
        // The content may have changed while saving.
        setStatus(isUnsaved() ? '' : 'Saved')
        setDirty(isUnsaved())
      })
    return pendingSave.current
  }
  const change = (content: C) => {
    clearTimeout(timer.current)
    latest.current = content
    setStatus('')
    setDirty(isUnsaved())
    timer.current = setTimeout(() => {
      flush(content).catch(error => {
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

export const hasText = ({ text }: Content): boolean => text.trim() !== ''
