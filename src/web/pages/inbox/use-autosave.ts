import { useEffect, useRef, useState } from 'react'
import type { DisplayError } from '../../ui/error-state.tsx'

const SAVE_DELAY_MS = 1_000

/** The content of a draft. Immutable: a change replaces it. */
export type Content = { readonly text: string; readonly subject?: string }

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
  // A rejected save may succeed with another sender, so a pending save uses the latest functions.
  const functions = useRef({ save, canSave })
  useEffect(() => {
    functions.current = { save, canSave }
  })
  useEffect(() => () => clearTimeout(timer.current), [])
  const isUnsaved = () =>
    latest.current !== saved.current &&
    (hasText(latest.current) || latest.current.subject !== saved.current.subject)
  /** Saves immediately. Rejects when saving fails. */
  const flush = (content: C): Promise<unknown> => {
    clearTimeout(timer.current)
    pendingSave.current = pendingSave.current
      .catch(() => {})
      .then(async () => {
        if (content === saved.current || !functions.current.canSave(content)) return
        setStatus('Saving…')
        await functions.current.save(content)
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
    timer.current = setTimeout(() => void trySave(content), SAVE_DELAY_MS)
  }
  const trySave = (content: C) =>
    flush(content).catch(error => {
      setStatus('')
      setError(error)
    })
  /** Retries a save that failed. */
  const retry = () => {
    if (isUnsaved()) void trySave(latest.current)
  }
  /** Cancels the pending save. Resolves when a running save ends. */
  const stop = async (): Promise<void> => {
    clearTimeout(timer.current)
    await pendingSave.current.catch(() => {})
    setDirty(false)
  }
  return { change, flush, retry, stop, status, isDirty, error }
}

export const hasText = ({ text }: Content): boolean => text.trim() !== ''
