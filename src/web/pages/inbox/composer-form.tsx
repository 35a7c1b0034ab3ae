import { type ReactNode, useId } from 'react'
import { usePermission } from '../../api.ts'
import { EditConflict } from '../../components/edit-conflict.tsx'
import { Button } from '../../ui/button.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { LeaveGuard } from '../../ui/leave-guard.tsx'
import { composerProps, leaveComposer } from './focus-composer.ts'
import { SendAnyway } from './send-anyway.tsx'
import { SnippetPicker, useSnippetKey } from './snippet-picker.tsx'
import { useGoToNext } from './triage.tsx'
import type { Content } from './use-autosave.ts'
import type { Composer } from './use-composer.ts'
import { ValueMenu } from './value-menu.tsx'

const MAX_ROWS = 16

type Props<C extends Content> = {
  composer: Composer<C>
  /** Names the recipients. */
  label: ReactNode
  /** Shown next to the label. */
  badge?: ReactNode
  /** Explains what sending does. */
  note?: ReactNode
  sendLabel: string
  rows: number
  maxLength?: number
  /** The person and the rep whose details fill snippets and can be inserted. */
  about: { personId?: string | undefined; repId?: string | undefined }
  /** Fields above the text. */
  fields?: ReactNode
  /** Shown below the text. */
  files?: ReactNode
  /** Buttons next to the send button. */
  tools?: ReactNode
  /** Receives files that are dropped or pasted. */
  onFiles?: (files: File[]) => void
}

/** Shows the fields and buttons of a draft. Names the recipients before sending. */
export function ComposerForm<C extends Content>({
  composer,
  label,
  badge,
  note,
  sendLabel,
  rows,
  maxLength,
  about,
  fields,
  files,
  tools,
  onFiles,
}: Props<C>) {
  const id = useId()
  const canSend = usePermission('Inbox.SendMessage')
  const { content, change, field, isBusy, error, warnings, conflict } = composer
  const { text } = content
  const snippets = useSnippetKey(field)
  const goToNext = useGoToNext()
  const sendAndGoToNext = goToNext && (async () => (await composer.send()) && goToNext())
  const receive = (event: { preventDefault: () => void }, { files }: DataTransfer) => {
    if (!onFiles || files.length === 0) return
    event.preventDefault()
    onFiles([...files])
  }
  return (
    <section
      aria-label="Draft"
      className="grid gap-3 rounded-card border border-accent/40 bg-surface p-4"
      onDragOver={event => onFiles && event.dataTransfer.types.includes('Files') && event.preventDefault()}
      onDrop={event => receive(event, event.dataTransfer)}
      onPaste={event => receive(event, event.clipboardData)}
      onKeyDown={event => {
        const { target, currentTarget } = event
        // Events of dialogs that open from here also bubble up to this handler.
        if (!(target instanceof Element && currentTarget.contains(target))) return
        const isSend = event.key === 'Enter' && (event.ctrlKey || event.metaKey)
        if (isSend && canSend && !isBusy) void (event.shiftKey ? sendAndGoToNext : composer.send)?.()
        if (event.key === 'Escape' && target.matches('textarea, input')) leaveComposer()
      }}
    >
      <LeaveGuard isDirty={composer.isDirty} />
      <header className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1 text-sm">
        <label htmlFor={id} className="min-w-0 break-words">
          {label}
        </label>
        {badge}
      </header>
      {fields}
      <textarea
        id={id}
        {...composerProps}
        ref={field}
        // For browsers that cannot fit a field to its text.
        rows={Math.min(MAX_ROWS, Math.max(rows, text.split('\n').length + 1))}
        dir="auto"
        maxLength={maxLength}
        value={text}
        readOnly={isBusy}
        onChange={({ target, nativeEvent }) => {
          change(before => ({ ...before, text: target.value }))
          snippets.handleInput(nativeEvent as InputEvent)
        }}
        className="w-full min-w-0 max-w-[72ch] rounded-control border border-edge bg-surface px-3 py-2 field-sizing-content max-h-[24lh] min-h-[6lh]"
      />
      {files}
      {conflict ? (
        <EditConflict onLoadTheirs={conflict.loadTheirs} onKeepMine={conflict.keepMine}>
          Someone else changed this draft while you were editing. Your changes are not saved.
        </EditConflict>
      ) : (
        error && <ErrorState error={error} />
      )}
      {note && <div className="max-w-[72ch] text-pretty text-muted text-sm">{note}</div>}
      <div className="flex flex-wrap items-center gap-2">
        {canSend && (
          <Button look="primary" isBusy={isBusy} onClick={() => composer.send()}>
            {sendLabel}
          </Button>
        )}
        {canSend && sendAndGoToNext && (
          <Button title="Keys: Ctrl+Shift+Enter" isBusy={isBusy} onClick={sendAndGoToNext}>
            Send and next
          </Button>
        )}
        {tools}
        {about.personId && <ValueMenu field={field} personId={about.personId} repId={about.repId} />}
        <Button look="quiet" aria-keyshortcuts=";" isBusy={isBusy} onClick={snippets.open}>
          Snippets
        </Button>
        <Button look="quiet" isBusy={isBusy} onClick={composer.remove}>
          {text ? 'Delete draft' : 'Cancel'}
        </Button>
        <span role="status" className="text-muted text-sm">
          {composer.status}
        </span>
      </div>
      {snippets.isOpen && <SnippetPicker {...about} onChoose={snippets.insert} onClose={snippets.close} />}
      <SendAnyway warnings={warnings} onSend={composer.sendAnyway} onCancel={composer.keepAsDraft} />
    </section>
  )
}
