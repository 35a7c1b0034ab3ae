import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { usePermission } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { type DisplayError, ErrorState } from '../../ui/error-state.tsx'
import { LeaveGuard } from '../../ui/leave-guard.tsx'
import { composerProps } from './focus-composer.ts'
import { getObjections, type Objection, type Overrides, SendAnyway } from './send-anyway.tsx'
import { useAutosave } from './use-autosave.ts'
import { type DraftStore, useSavedDraft } from './use-saved-draft.ts'

type Props = {
  /** How the draft is saved. */
  store: DraftStore
  /** The saved text; undefined for a new reply. */
  initial: string | undefined
  /** Names the recipients. */
  label: ReactNode
  /** Shown beside the label. */
  badge?: ReactNode
  /** Explains what sending does. */
  note?: ReactNode
  sendLabel: string
  rows: number
  maxLength?: number
  /** Called once the text is saved. */
  send: (id: string, overrides: Overrides) => Promise<unknown>
  /** `text` is the editor's current text. */
  remove: (id: string, text: string) => Promise<unknown>
  refresh: () => Promise<unknown>
  /** Called when the draft was sent, deleted or never started. */
  onClose?: (() => void) | undefined
}

/** Editor of a reply. Saves automatically and names the recipients before sending. */
export function ReplyEditor({
  store,
  initial,
  label,
  badge,
  note,
  sendLabel,
  rows,
  maxLength,
  send,
  remove,
  refresh,
  onClose,
}: Props) {
  const id = useId()
  const field = useRef<HTMLTextAreaElement>(null)
  const [text, setText] = useState(initial ?? '')
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<DisplayError>()
  const [objections, setObjections] = useState<Objection[]>([])
  const canSend = usePermission('Inbox.SendMessage')
  const { draftId, save } = useSavedDraft(store)
  const autosave = useAutosave(initial ?? '', save)
  const isNew = initial === undefined
  useEffect(() => {
    if (isNew) field.current?.focus()
  }, [isNew])
  const run = async (action: () => Promise<void>) => {
    setBusy(true)
    setError(undefined)
    await action().then(refresh).then(onClose, showError)
    setBusy(false)
  }
  /** Refetches the thread on an objection, so that the other reply shows behind the question. */
  const showError = async (error: DisplayError) => {
    const newObjections = getObjections(error)
    setObjections(newObjections)
    if (newObjections.length === 0) setError(error)
    else await refresh()
  }
  const handleSend = (overrides: Overrides = {}) =>
    run(async () => {
      if (!text.trim()) throw new Error('Write a message first.')
      await autosave.flush(text)
      await send(draftId.current!, overrides)
    })
  const handleDelete = () =>
    run(async () => {
      await autosave.stop()
      if (draftId.current) await remove(draftId.current, text)
    })
  const shownError = error ?? autosave.error
  return (
    <section aria-label="Draft" className="grid gap-3 rounded-card border border-accent/40 bg-surface p-4">
      <LeaveGuard isDirty={autosave.isDirty && !isBusy} />
      <header className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1 text-sm">
        <label htmlFor={id} className="min-w-0 break-words">
          {label}
        </label>
        {badge}
      </header>
      <textarea
        id={id}
        {...composerProps}
        ref={field}
        rows={Math.min(16, Math.max(rows, text.split('\n').length + 1))}
        maxLength={maxLength}
        value={text}
        // An edit would be saved, which turns the message being sent back into a draft.
        readOnly={isBusy}
        onChange={({ target }) => {
          setText(target.value)
          autosave.change(target.value)
        }}
        onKeyDown={event => {
          const isSend = event.key === 'Enter' && (event.ctrlKey || event.metaKey)
          if (isSend && canSend && !isBusy) void handleSend()
        }}
        className="w-full min-w-0 max-w-[72ch] rounded-control border border-edge bg-surface px-3 py-2"
      />
      {shownError && <ErrorState error={shownError} />}
      {note && <p className="max-w-[72ch] text-muted text-sm">{note}</p>}
      <div className="flex flex-wrap items-center gap-2">
        {canSend && (
          <Button look="primary" isBusy={isBusy} onClick={() => handleSend()}>
            {sendLabel}
          </Button>
        )}
        <Button isBusy={isBusy} onClick={handleDelete}>
          {text ? 'Delete draft' : 'Cancel'}
        </Button>
        <span role="status" className="text-muted text-sm">
          {autosave.status}
        </span>
      </div>
      <SendAnyway
        objections={objections}
        onSend={overrides => {
          setObjections([])
          return handleSend(overrides)
        }}
        onCancel={() => setObjections([])}
      />
    </section>
  )
}
