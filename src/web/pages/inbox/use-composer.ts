import { useRef, useState } from 'react'
import type { DisplayError } from '../../ui/error-state.tsx'
import { FORWARDED } from './email-content.ts'
import { leaveComposer } from './focus-composer.ts'
import { getSendWarnings, type Overrides, type SendWarning } from './send-anyway.tsx'
import { type Content, hasText, useAutosave } from './use-autosave.ts'
import { type DraftStore, useSavedDraft } from './use-saved-draft.ts'

/** Options for sending a draft, which is sent immediately unless `sendAt` is set. */
export type SendOptions = Overrides & { sendAt?: string }

type Options<C extends Content> = {
  /** The functions that save the draft. */
  store: DraftStore<C>
  /** The stored content, or that of a new draft. */
  initial: C
  /** Whether `initial` is the stored content. */
  isStored: boolean
  /** Reports whether the content can be stored; by default, whether it has text. */
  canSave?: (content: C) => boolean
  /** Returns why content with text can't be sent yet. */
  validate?: (content: C) => string | undefined
  /**
   * Sends the saved draft. Must refuse if the stored content is different, because others may have changed it. Calls
   * `onUndone` if the user undoes the sending.
   */
  send: (id: string, options: SendOptions, content: C, onUndone: () => void) => Promise<unknown>
  remove: (id: string, content: C) => Promise<unknown>
  refresh: () => Promise<unknown>
  /** Called when the draft is sent or deleted, or closed before anything is written. */
  onClose?: ((isSent: boolean) => void) | undefined
}

/** Holds the content of a draft, saves it automatically, and sends or deletes it. */
export function useComposer<C extends Content>({
  store,
  initial,
  isStored,
  canSave = hasText,
  validate,
  send,
  remove,
  refresh,
  onClose,
}: Options<C>) {
  const field = useRef<HTMLTextAreaElement>(null)
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<DisplayError>()
  const [warnings, setWarnings] = useState<SendWarning[]>([])
  const lastOptions = useRef<SendOptions>({})
  const { draftId, save } = useSavedDraft(store)
  const autosave = useAutosave(
    initial,
    (content, saved) =>
      save(content, saved).catch(async error => {
        await showConflict(error)
        throw error
      }),
    canSave,
  )
  const { content, latest } = autosave
  const isRunning = useRef(false)
  const isUndone = useRef(false)
  const change = (update: (content: C) => C) => {
    // A save would turn the message that is being sent into a draft again.
    if (!isRunning.current) autosave.change(update)
  }
  /** Resolves to true when the draft was sent or deleted. */
  const run = async (action: () => Promise<void>, isSend: boolean): Promise<boolean> => {
    isRunning.current = true
    isUndone.current = false
    setBusy(true)
    setError(undefined)
    const isDone = await action()
      .then(refresh)
      .then(
        () => {
          onClose?.(isSend)
          leaveComposer()
          return true
        },
        error => showError(error).then(() => false),
      )
    // A draft that was sent or deleted can't be changed until it disappears: a save would recall the email.
    isRunning.current = isDone && !isUndone.current
    setBusy(isRunning.current)
    return isDone
  }
  const onUndone = () => {
    isUndone.current = true
    isRunning.current = false
    setBusy(false)
  }
  const showError = async (error: DisplayError) => {
    const newWarnings = getSendWarnings(error)
    setWarnings(newWarnings)
    if (newWarnings.length === 0) setError(error)
    await showConflict(error)
  }
  /** On a conflict, refetches the thread to show the other reply or other people's changes. */
  const showConflict = async (error: DisplayError) => {
    if (error.code !== 'Conflict') return
    autosave.noteConflict()
    await refresh()
  }
  const resolveConflict = (resolve: () => void) => () => {
    setError(undefined)
    resolve()
  }
  return {
    content,
    change,
    field,
    isBusy,
    isDirty: autosave.isDirty && !isBusy,
    status: autosave.status,
    error: error ?? autosave.error,
    warnings,
    retrySave: autosave.retry,
    /** Set while others have changed the stored draft since the user's changes began. */
    conflict:
      isStored && autosave.isConflict
        ? { loadTheirs: resolveConflict(autosave.loadTheirs), keepMine: resolveConflict(autosave.keepMine) }
        : undefined,
    keepAsDraft: () => setWarnings([]),
    send: (options: SendOptions = {}) =>
      run(async () => {
        const reason = hasText(latest.current)
          ? (validate?.(latest.current) ?? findVariableError(latest.current.text))
          : 'Write a message first.'
        if (reason) throw new Error(reason)
        lastOptions.current = options
        await autosave.flush()
        await send(draftId.current!, options, latest.current, onUndone)
      }, true),
    /** Sends the draft despite the warnings, with the options of the first attempt. */
    sendAnyway: (overrides: Overrides) => {
      setWarnings([])
      const options = { ...lastOptions.current, ...overrides }
      return run(() => send(draftId.current!, options, latest.current, onUndone).then(() => {}), true)
    },
    remove: () =>
      run(async () => {
        await autosave.stop()
        if (draftId.current) await remove(draftId.current, latest.current)
      }, false),
  }
}

/**
 * Returns an error if the text above a forwarded message contains a variable. Only sequences and snippets
 * fill in variables.
 */
function findVariableError(text: string): string | undefined {
  const [own = ''] = text.split(FORWARDED)
  const [variable] = /\{\{[^{}]*\}\}/.exec(own) ?? []
  return variable && `${variable} would be sent as is. Choose a value under Insert, or type one.`
}

export type Composer<C extends Content> = ReturnType<typeof useComposer<C>>
