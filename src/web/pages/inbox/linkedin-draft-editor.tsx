import { useEffect, useId, useRef, useState } from 'react'
import { call, useChange, useMay, useRefresh } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorState, type Fault } from '../../ui/error-state.tsx'
import { LeaveGuard } from '../../ui/leave-guard.tsx'
import { showToast } from '../../ui/toast.tsx'
import type { LinkedinMessage } from './linkedin.tsx'
import { useAutosave } from './use-autosave.ts'
import { useSavedDraft } from './use-saved-draft.ts'

type Props = {
  to: { prospectId: string; repId: string; name: string }
  /** Absent for a reply that is just begun. */
  draft?: LinkedinMessage | undefined
  onCreated?: (id: string) => void
  /** It was sent or deleted, or never begun. */
  onClose?: () => void
}

/** A reply on LinkedIn while it is written: it keeps itself. */
export function LinkedinDraftEditor({ to, draft, onCreated, onClose }: Props) {
  const id = useId()
  const field = useRef<HTMLTextAreaElement>(null)
  const [text, setText] = useState(draft?.text ?? '')
  const [isBusy, setBusy] = useState(false)
  const [fault, setFault] = useState<Fault>()
  const remove = useChange('deleteLinkedinDraft')
  const send = useChange('sendLinkedinDraft')
  const refresh = useRefresh('getLinkedinConversation', 'listLinkedinMessages', 'getProspect', 'listTasks')
  const maySend = useMay('Inbox.SendMessage')
  const { name, ...whom } = to
  const { draftId, save } = useSavedDraft({
    ...{ id: draft?.id, onCreated },
    create: async (words, options) =>
      (await call('createLinkedinDraft', { ...whom, text: words }, options)).id,
    update: (linkedinMessageId, words) => call('updateLinkedinDraft', { linkedinMessageId, text: words }),
  })
  const autosave = useAutosave(draft?.text ?? '', save)
  useEffect(() => {
    if (!draft) field.current?.focus()
  }, [draft])
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
      const { taskId } = await send({ linkedinMessageId: draftId.current! })
      showToast(taskId ? `Your message to ${name} is on its way: see Tasks.` : 'It is sent.')
    })
  const deleteIt = () =>
    act(async () => {
      autosave.stop()
      if (draftId.current) await remove({ linkedinMessageId: draftId.current })
    })
  return (
    <section aria-label="Draft" className="grid gap-3 rounded-card border border-accent/40 bg-surface p-4">
      <LeaveGuard isDirty={autosave.isDirty && !isBusy} />
      <label htmlFor={id} className="min-w-0 break-words text-sm">
        <span className="font-medium">Message</span> <span className="text-muted">to {name} on LinkedIn</span>
      </label>
      <textarea
        id={id}
        ref={field}
        rows={Math.min(16, Math.max(3, text.split('\n').length + 1))}
        maxLength={8000}
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
      <p className="max-w-[72ch] text-muted text-sm">
        A connected LinkedIn account sends it; without one it becomes a task for the rep.
      </p>
      <div className="flex flex-wrap items-center gap-2">
        {maySend && (
          <Button look="primary" isBusy={isBusy} onClick={sendIt}>
            Send message
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
