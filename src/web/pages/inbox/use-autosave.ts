import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { DisplayError } from '../../ui/error-state.tsx'

const SAVE_DELAY_MS = 1_000

/** The content of a draft. Immutable: a change replaces it. */
export type Content = { readonly text: string; readonly subject?: string }

/**
 * Holds the content of a draft. Follows the stored content, which others may change, until the user changes it here.
 * Saves changes after a pause in typing, one save at a time. `save` resolves to the content that is stored afterwards.
 */
export function useAutosave<C extends Content>(
  stored: C,
  save: (content: C, saved: C) => Promise<C>,
  canSave: (content: C) => boolean,
) {
  const [changed, setChanged] = useState<C>()
  const isChanged = useRef(false)
  const latest = useRef(stored)
  const saved = useRef(stored)
  useLayoutEffect(() => {
    if (!isChanged.current) latest.current = saved.current = stored
  })
  const pendingSave = useRef<Promise<unknown>>(Promise.resolve())
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const [status, setStatus] = useState('')
  const [isDirty, setDirty] = useState(false)
  const [error, setError] = useState<DisplayError>()
  /** The version that the changes are based on, if saving or sending them failed with a conflict. */
  const [outdated, setOutdated] = useState<C>()
  // A rejected save may succeed with another sender, so a pending save uses the latest functions.
  const functions = useRef({ save, canSave })
  useEffect(() => {
    functions.current = { save, canSave }
  })
  const isMounted = useRef(false)
  useEffect(() => {
    isMounted.current = true
    return () => {
      isMounted.current = false
      clearTimeout(timer.current)
    }
  }, [])
  const isUnsaved = () =>
    latest.current !== saved.current &&
    (hasText(latest.current) || latest.current.subject !== saved.current.subject)
  /** Saves immediately. Rejects when saving fails. */
  const flush = (): Promise<unknown> => {
    clearTimeout(timer.current)
    if (!isChanged.current) return pendingSave.current
    const content = latest.current
    pendingSave.current = pendingSave.current
      .catch(() => {})
      .then(async () => {
        if (content === saved.current || !functions.current.canSave(content)) return
        setStatus('Saving…')
        try {
          while (saved.current !== content)
            saved.current = await functions.current.save(content, saved.current)
        } catch (error) {
          setStatus('')
          throw error
        }
        setError(undefined)
        setOutdated(undefined)
        // The content may have changed while saving.
        setStatus(isUnsaved() ? '' : 'Saved')
        setDirty(isUnsaved())
      })
    return pendingSave.current
  }
  const change = (update: (content: C) => C) => {
    // The draft may be sent by now, and a save would recall it.
    if (!isMounted.current) return
    clearTimeout(timer.current)
    isChanged.current = true
    latest.current = update(latest.current)
    setChanged(latest.current)
    setStatus('')
    setDirty(isUnsaved())
    timer.current = setTimeout(() => void trySave(), SAVE_DELAY_MS)
  }
  const trySave = () => flush().catch(setError)
  /** Retries a save that failed. */
  const retry = () => {
    if (isUnsaved()) void trySave()
  }
  /** Replaces the changes with the stored content. */
  const loadTheirs = () => {
    clearTimeout(timer.current)
    isChanged.current = false
    latest.current = saved.current = stored
    setChanged(undefined)
    setOutdated(undefined)
    setDirty(false)
    setError(undefined)
  }
  /** Saves the changes over the stored content. */
  const keepMine = () => {
    saved.current = stored
    setOutdated(undefined)
    void trySave()
  }
  /** Cancels the pending save. Resolves when a running save ends. */
  const stop = async (): Promise<void> => {
    clearTimeout(timer.current)
    await pendingSave.current.catch(() => {})
    setDirty(false)
  }
  return {
    ...{ content: changed ?? stored, latest, change, flush, retry, stop, status, isDirty, error },
    noteConflict: () => setOutdated(isChanged.current ? saved.current : undefined),
    /** Whether somebody else has changed the stored draft since the user's changes began. */
    isConflict:
      outdated !== undefined && (outdated.text !== stored.text || outdated.subject !== stored.subject),
    loadTheirs,
    keepMine,
  }
}

export const hasText = ({ text }: Content): boolean => text.trim() !== ''
