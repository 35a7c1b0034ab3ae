import { useEffect, useId, useRef, useState } from 'react'
import { call, useChange, useMay, useRefresh } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorState, type Fault } from '../../ui/error-state.tsx'
import { LeaveGuard } from '../../ui/leave-guard.tsx'
import { showToast } from '../../ui/toast.tsx'
import { addresseesOf, MarkOf, type Message } from './message.tsx'
import { useAutosave } from './use-autosave.ts'
import { useSavedDraft } from './use-saved-draft.ts'

type Props = {
  /** What it answers. */
  parent: Message & { prospectId: string }
  /** Absent for a reply that is just begun. */
  draft?: Message | undefined
  onCreated?: (id: string) => void
  /** It was sent or deleted, or never begun. */
  onClose?: () => void
}

/** A reply while it is written: it keeps itself, and says to whom it goes before it is sent. */
export function DraftEditor({ parent, draft, onCreated, onClose }: Props) {
  const id = useId()
  const field = useRef<HTMLTextAreaElement>(null)
  const [text, setText] = useState(draft?.body ?? '')
  const [isBusy, setBusy] = useState(false)
  const [fault, setFault] = useState<Fault>()
  const create = useChange('createEmailDraft')
  const remove = useChange('deleteEmailDraft')
  const send = useChange('sendEmailDraft')
  const refresh = useRefresh('getEmailThread', 'listEmailMessages', 'getProspect')
  const maySend = useMay('Inbox.SendMessage')
  const reply = { prospectId: parent.prospectId, emailMessageIdToReplyTo: parent.id }
  const { draftId, save } = useSavedDraft({
    ...{ id: draft?.id, onCreated },
    create: async (body, options) => (await call('createEmailDraft', { ...reply, body }, options)).messageId,
    update: (emailMessageId, body) => call('updateEmailDraft', { emailMessageId, body }),
  })
  const autosave = useAutosave(draft?.body ?? '', save)
  useEffect(() => {
    if (!draft) field.current?.focus()
  }, [draft])
  const to = addresseesOf(draft ?? parent)
  const act = async (work: () => Promise<void>) => {
    setBusy(true)
    setFault(undefined)
    await work().then(refresh).then(onClose, setFault)
    setBusy(false)
  }
  const sendIt = () =>
    act(async () => {
      if (!text.trim()) throw new Error('Write something first.')
      await autosave.flush(text)
      await send({ emailMessageId: draftId.current! })
      showToast(`Your reply to ${to} is on its way.`)
    })
  const deleteIt = () =>
    act(async () => {
      autosave.stop()
      if (!draftId.current) return
      await remove({ emailMessageId: draftId.current })
      showToast(
        'The draft is deleted.',
        text.trim() ? () => void create({ ...reply, body: text }).then(refresh) : undefined,
      )
    })
  return (
    <section aria-label="Draft" className="grid gap-3 rounded-card border border-accent/40 bg-surface p-4">
      <LeaveGuard isDirty={autosave.isDirty && !isBusy} />
      <header className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1 text-sm">
        <label htmlFor={id} className="min-w-0 break-words">
          <span className="font-medium">Reply</span> <span className="text-muted">to {to}</span>
        </label>
        {draft && <MarkOf message={draft} />}
      </header>
      <textarea
        id={id}
        ref={field}
        rows={Math.min(16, Math.max(5, text.split('\n').length + 1))}
        value={text}
        onChange={({ target }) => {
          setText(target.value)
          autosave.change(target.value)
        }}
        onKeyDown={event => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && maySend) void sendIt()
        }}
        className="w-full min-w-0 max-w-[72ch] rounded-control border border-edge bg-surface px-3 py-2"
      />
      {(fault ?? autosave.fault) && <ErrorState error={(fault ?? autosave.fault)!} />}
      <div className="flex flex-wrap items-center gap-2">
        {maySend && (
          <Button look="primary" isBusy={isBusy} onClick={sendIt}>
            Send reply
          </Button>
        )}
        <Button isBusy={isBusy} onClick={deleteIt}>
          {text ? 'Delete draft' : 'Cancel'}
        </Button>
        <span role="status" className="text-muted text-sm">
          {autosave.word}
        </span>
      </div>
    </section>
  )
}
