import { type ReactNode, useRef, useState } from 'react'
import { call, useInvalidate, useOperationMutation } from '../../api.ts'
import { conversationReads } from '../../components/conversations.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { showToast } from '../../ui/toast.tsx'
import { ComposerForm } from './composer-form.tsx'
import { AttachButton, AttachOriginals, DraftFiles, useUploads } from './draft-files.tsx'
import { type EmailContent, getChanges } from './email-content.ts'
import { useComposerFocus } from './focus-composer.ts'
import { formatAddresses } from './message.ts'
import type { Attachment } from './message-attachments.tsx'
import { Copies } from './message-card.tsx'
import { RecipientFields, useTypedRecipients } from './recipient-fields.tsx'
import { SendLater } from './send-later.tsx'
import { SignatureNote } from './signature-note.tsx'
import { useComposer } from './use-composer.ts'
import { useSendEmail } from './use-send-email.ts'

type Props = {
  /** The id of the draft; undefined for a new one. */
  draftId: string | undefined
  initial: EmailContent
  /** Opens the label, as in `Reply to Ada`. */
  title: string
  badge?: ReactNode
  note?: ReactNode
  personId?: string | undefined
  repId?: string | undefined
  /** Has a field for the subject. */
  hasSubject?: boolean
  /** Shown above the recipients. */
  fields?: ReactNode
  /** The files of a forwarded message. */
  originals?: readonly Attachment[] | undefined
  /** Stores a new draft; resolves to its id. */
  create: (content: EmailContent, options?: { idempotencyKey: string }) => Promise<string>
  onCreated?: (id: string) => void
  onClose?: (isSent: boolean) => void
}

/** Composer of an email: a reply, a forwarded message or the first one to a person. */
export function EmailComposer({
  draftId,
  initial,
  title,
  badge,
  note,
  personId,
  repId,
  hasSubject = false,
  fields,
  originals = [],
  create,
  onCreated,
  onClose,
}: Props) {
  const remove = useOperationMutation('deleteEmailDraft')
  const send = useSendEmail()
  const refresh = useInvalidate('getEmailThread', ...conversationReads, 'getProspect')
  const composer = useComposer<EmailContent>({
    store: {
      id: draftId,
      create,
      update: (emailMessageId, content, saved) =>
        call('updateEmailDraft', { emailMessageId, ...getChanges(content, saved) }),
      onCreated,
    },
    initial,
    canSave: content => findObstacle(content, hasSubject) === undefined,
    validate: content => {
      if (uploads.uploading.length > 0) return 'Wait until the files are uploaded.'
      return findObstacle(content, hasSubject)
    },
    send,
    remove: async (emailMessageId, content) => {
      await remove({ emailMessageId })
      const restore = () => void create({ ...content, files: [] }).then(refresh)
      showToast('Draft deleted.', content.text.trim() ? restore : undefined)
    },
    refresh,
    onClose,
  })
  const { content, change } = composer
  const { recipients, subject, files } = content
  const changeFiles: Parameters<typeof useUploads>[1] = update =>
    change(before => ({ ...before, files: update(before.files) }))
  const uploads = useUploads(files, changeFiles)
  const typed = useTypedRecipients(update =>
    change(before => ({ ...before, recipients: update(before.recipients) })),
  )
  const sendWithTyped: typeof composer.send = async options => {
    if (typed.commit()) await composer.send(options)
  }
  const [isEditing, setEditing] = useState(initial.recipients.to.length === 0)
  const subjectField = useRef<HTMLInputElement>(null)
  const isNew = !draftId && !isEditing
  useComposerFocus(composer.field, { draftId, isNew: isNew && !hasSubject })
  useComposerFocus(subjectField, { isNew: isNew && hasSubject })
  return (
    <ComposerForm
      composer={{ ...composer, send: sendWithTyped }}
      label={
        <>
          <span className="font-medium">{title}</span>{' '}
          <span className="text-muted">to {formatAddresses(recipients.to) || 'nobody yet'}</span>
          <Copies recipients={recipients} />
        </>
      }
      badge={
        <span className="flex flex-wrap items-center gap-2">
          {badge}
          <Button look="quiet" size="small" aria-expanded={isEditing} onClick={() => setEditing(!isEditing)}>
            Recipients
          </Button>
        </span>
      }
      note={note}
      fields={
        <>
          {fields}
          {isEditing && <RecipientFields recipients={recipients} typed={typed} />}
          {hasSubject && (
            <div className="max-w-[72ch]">
              <TextField
                ref={subjectField}
                label="Subject"
                maxLength={998}
                value={subject}
                readOnly={composer.isBusy}
                onChange={({ target }) => change(before => ({ ...before, subject: target.value }))}
              />
            </div>
          )}
        </>
      }
      files={
        <>
          <SignatureNote repId={repId} />
          <DraftFiles files={files} uploads={uploads} change={changeFiles} />
        </>
      }
      onFiles={uploads.upload}
      sendLabel="Send"
      rows={5}
      about={{ personId, repId }}
      tools={
        <>
          <SendLater isBusy={composer.isBusy} onChoose={sendAt => void sendWithTyped({ sendAt })} />
          <AttachButton isBusy={composer.isBusy} onFiles={uploads.upload} />
          <AttachOriginals attachments={originals} isBusy={composer.isBusy} onAttach={uploads.attachCopies} />
        </>
      }
    />
  )
}

/** Returns what an email with text still needs before it can be sent. */
function findObstacle({ text, recipients, subject }: EmailContent, hasSubject: boolean): string | undefined {
  if (!text.trim()) return 'Write a message first.'
  if (recipients.to.length === 0) return 'Add a recipient first.'
  return hasSubject && !subject.trim() ? 'Add a subject first.' : undefined
}
