import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { usePermission } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { type DisplayError, ErrorState } from '../../ui/error-state.tsx'
import { LeaveGuard } from '../../ui/leave-guard.tsx'
import { type Objection, type Overrides, objectionsIn, SendAnyway } from './send-anyway.tsx'
import { useAutosave } from './use-autosave.ts'
import { type DraftStore, useSavedDraft } from './use-saved-draft.ts'

type Props = {
  /** How the draft is kept. */
  store: DraftStore
  /** What is kept of it; absent for a reply that is just begun. */
  initial: string | undefined
  /** To whom it goes. */
  label: ReactNode
  /** Beside the label. */
  mark?: ReactNode
  /** What comes of sending it. */
  note?: ReactNode
  sendWord: string
  rows: number
  maxLength?: number
  /** All that is typed is kept by then. */
  send: (id: string, accepted: Overrides) => Promise<unknown>
  /** `text` is what stands in the editor. */
  remove: (id: string, text: string) => Promise<unknown>
  refresh: () => Promise<unknown>
  /** It was sent or deleted, or never begun. */
  onClose?: (() => void) | undefined
}

/** A reply while it is written: it keeps itself, and says to whom it goes before it is sent. */
export function ReplyEditor({
  store,
  initial,
  label,
  mark,
  note,
  sendWord,
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
  const act = async (work: () => Promise<void>) => {
    setBusy(true)
    setError(undefined)
    await work().then(refresh).then(onClose, showError)
    setBusy(false)
  }
  /** Reloads the thread, so that the other answer shows behind the question. */
  const showError = async (error: DisplayError) => {
    const found = objectionsIn(error)
    setObjections(found)
    if (found.length === 0) setError(error)
    else await refresh()
  }
  const sendIt = (accepted: Overrides = {}) =>
    act(async () => {
      if (!text.trim()) throw new Error('Write something first.')
      await autosave.flush(text)
      await send(draftId.current!, accepted)
    })
  const deleteIt = () =>
    act(async () => {
      await autosave.stop()
      if (draftId.current) await remove(draftId.current, text)
    })
  const shown = error ?? autosave.error
  return (
    <section aria-label="Draft" className="grid gap-3 rounded-card border border-accent/40 bg-surface p-4">
      <LeaveGuard isDirty={autosave.isDirty && !isBusy} />
      <header className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1 text-sm">
        <label htmlFor={id} className="min-w-0 break-words">
          {label}
        </label>
        {mark}
      </header>
      <textarea
        id={id}
        ref={field}
        rows={Math.min(16, Math.max(rows, text.split('\n').length + 1))}
        maxLength={maxLength}
        value={text}
        // What is typed would be saved, and that takes back what is just sent.
        readOnly={isBusy}
        onChange={({ target }) => {
          setText(target.value)
          autosave.change(target.value)
        }}
        onKeyDown={event => {
          const isSend = event.key === 'Enter' && (event.ctrlKey || event.metaKey)
          if (isSend && canSend && !isBusy) void sendIt()
        }}
        className="w-full min-w-0 max-w-[72ch] rounded-control border border-edge bg-surface px-3 py-2"
      />
      {shown && <ErrorState error={shown} />}
      {note && <p className="max-w-[72ch] text-muted text-sm">{note}</p>}
      <div className="flex flex-wrap items-center gap-2">
        {canSend && (
          <Button look="primary" isBusy={isBusy} onClick={() => sendIt()}>
            {sendWord}
          </Button>
        )}
        <Button isBusy={isBusy} onClick={deleteIt}>
          {text ? 'Delete draft' : 'Cancel'}
        </Button>
        <span role="status" className="text-muted text-sm">
          {autosave.word}
        </span>
      </div>
      <SendAnyway
        objections={objections}
        onSend={accepted => {
          setObjections([])
          return sendIt(accepted)
        }}
        onCancel={() => setObjections([])}
      />
    </section>
  )
}
