import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react'
import { call, useInvalidate, useOperationMutation } from '../../api.ts'
import { conversationReads } from '../../components/conversations.ts'
import { formatSnoozeTime } from '../../components/snooze-times.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { showToast } from '../../ui/toast.tsx'
import { ComposerForm } from './composer-form.tsx'
import { AttachButton, AttachOriginals, DraftFiles, useUploads } from './draft-files.tsx'
import { type EmailContent, getChanges, isForward } from './email-content.ts'
import { useComposerFocus } from './focus-composer.ts'
import { type Contact, formatAddress, formatAddresses, type Message } from './message.ts'
import type { Attachment } from './message-attachments.tsx'
import { Copies, MessageBadge } from './message-card.tsx'
import { RecipientFields, useTypedRecipients } from './recipient-fields.tsx'
import { SendLater } from './send-later.tsx'
import { Signature } from './signature.tsx'
import { useComposer } from './use-composer.ts'
import { useSendEmail } from './use-send-email.ts'

type Props = {
  /** The ID of the draft; undefined for a new one. */
  draftId: string | undefined
  initial: EmailContent
  /** Start of the label, as in `Reply to Ada`. */
  title: string
  /** The stored draft. */
  draft?: Message | undefined
  note?: ReactNode
  personId?: string | undefined
  repId?: string | undefined
  /** Shows a field for the subject. */
  hasSubject?: boolean
  /** Shown above the recipients. */
  fields?: ReactNode
  /** The mailbox that an email in a conversation is sent from; null if there is none. */
  sender?: Contact | null | undefined
  /** The sender of a new draft. Choosing another one retries a failed save. */
  senderId?: string | undefined
  /** The reason why a new draft can't be saved, regardless of its content. */
  missing?: string | undefined
  /** The files of a forwarded message. */
  originals?: readonly Attachment[] | undefined
  /** Stores a new draft. Resolves to its ID. */
  create: (content: EmailContent, options?: { idempotencyKey: string }) => Promise<string>
  onCreated?: (id: string) => void
  onClose?: (isSent: boolean) => void
}

/** Edits an email: a reply, a forwarded message or the first one to a person. */
export function EmailComposer({
  draftId,
  initial,
  title,
  draft,
  note,
  personId,
  repId,
  hasSubject = false,
  fields,
  sender,
  senderId,
  missing,
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
    isStored: draft !== undefined,
    canSave: content => !missing && findMissingPart(content, hasSubject) === undefined,
    validate: content => {
      if (uploads.uploading.length > 0) return 'Wait until the files are uploaded.'
      return missing ?? findMissingPart(content, hasSubject)
    },
    send: (id, options, content, onUndone) =>
      send(id, content, isForward(content) ? { ...options, allowNewRecipients: true } : options, onUndone),
    remove: async (emailMessageId, content) => {
      await remove({ emailMessageId })
      // Restored without its files, which were deleted with the draft.
      const restore = () =>
        void create({ ...content, files: [] })
          .then(refresh)
          .catch(error => showToast(error.message))
      showToast('Draft deleted.', findMissingPart(content, hasSubject) ? undefined : restore)
    },
    refresh,
    onClose,
  })
  const { content, change } = composer
  const retrySave = useEffectEvent(composer.retrySave)
  useEffect(() => {
    if (senderId) retrySave()
  }, [senderId])
  const { recipients, subject, files } = content
  const changeFiles: Parameters<typeof useUploads>[1] = update =>
    change(before => ({ ...before, files: update(before.files) }))
  const uploads = useUploads(files, changeFiles)
  const typed = useTypedRecipients(update =>
    change(before => ({ ...before, recipients: update(before.recipients) })),
  )
  const [isEditing, setEditing] = useState(initial.recipients.to.length === 0)
  const sendWithTyped: typeof composer.send = async options => {
    if (typed.commit()) return composer.send(options)
    // Show the recipient fields, so that the user can correct the invalid address.
    setEditing(true)
    return false
  }
  const subjectField = useRef<HTMLInputElement>(null)
  const isNew = !draftId && !isEditing
  // Keep showing the time that the app proposed, even after an edit has withdrawn the approval request.
  const [request, setRequest] = useState(draft?.approvalRequest)
  if (draft?.approvalRequest && draft.approvalRequest !== request) setRequest(draft.approvalRequest)
  const requested = findRequestedTime(request)
  useComposerFocus(composer.field, { draftId, isNew: isNew && !hasSubject })
  useComposerFocus(subjectField, { isNew: isNew && hasSubject })
  return (
    <ComposerForm
      composer={{
        ...composer,
        send: sendWithTyped,
        isDirty: composer.isDirty || uploads.uploading.length > 0,
      }}
      label={
        <>
          <span className="font-medium">{title}</span>{' '}
          <span className="text-muted">to {formatAddresses(recipients.to) || 'nobody yet'}</span>
          <Copies recipients={recipients} />
        </>
      }
      badge={
        <span className="flex flex-wrap items-center gap-2">
          {draft && <MessageBadge message={draft} isEdited={content.text !== initial.text} />}
          <Button
            look="quiet"
            size="small"
            aria-expanded={isEditing}
            onClick={() => setEditing(!isEditing)}
            className="-mx-2.5"
          >
            Recipients
          </Button>
        </span>
      }
      note={
        requested ? (
          <>
            {requested.by} wants to send this on {formatSnoozeTime(requested.at)}. Click Send to send it now.{' '}
            {note}
          </>
        ) : (
          note
        )
      }
      fields={
        <>
          {fields}
          {sender !== undefined && <Sender sender={sender} />}
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
          <Signature repId={repId} text={content.text} />
          <DraftFiles files={files} uploads={uploads} change={changeFiles} />
        </>
      }
      onFiles={uploads.upload}
      sendLabel="Send"
      rows={5}
      about={{ personId, repId }}
      tools={
        <>
          {requested && (
            <Button
              isBusy={composer.isBusy}
              onClick={() => sendWithTyped({ sendAt: requested.at.toISOString() })}
            >
              Schedule for {formatSnoozeTime(requested.at)}
            </Button>
          )}
          <SendLater isBusy={composer.isBusy} onChoose={sendAt => void sendWithTyped({ sendAt })} />
          <AttachButton isBusy={composer.isBusy} onFiles={uploads.upload} />
          <AttachOriginals attachments={originals} isBusy={composer.isBusy} onAttach={uploads.attachCopies} />
        </>
      }
    />
  )
}

/** Finds the future time at which an app would send the draft once it is approved. */
function findRequestedTime(request: Message['approvalRequest']): { by: string; at: Date } | undefined {
  const { sendAt, by = 'An app' } = request ?? {}
  return sendAt && Date.parse(sendAt) > Date.now() ? { by, at: new Date(sendAt) } : undefined
}

const Sender = ({ sender }: { sender: Contact | null }) =>
  sender ? (
    <p className="wrap-anywhere text-sm">
      <span className="font-medium">From</span> <span className="text-muted">{formatAddress(sender)}</span>
    </p>
  ) : (
    <p className="max-w-[72ch] text-amber text-sm">
      The rep of this conversation has no mailbox that can send.{' '}
      <Link to="/settings/senders" className="underline underline-offset-2">
        Connect or verify one
      </Link>{' '}
      under Senders.
    </p>
  )

/** Returns what the user must add before the email can be sent; undefined if nothing is missing. */
function findMissingPart(
  { text, recipients, subject }: EmailContent,
  hasSubject: boolean,
): string | undefined {
  if (!text.trim()) return 'Write a message first.'
  if (recipients.to.length === 0) return 'Add a recipient first.'
  return hasSubject && !subject.trim() ? 'Add a subject first.' : undefined
}
