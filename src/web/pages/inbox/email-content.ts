import { htmlTagPattern } from '../../../contract/html-tags.ts'
import type { UploadedFile } from '../../api.ts'
import { formatDateTime } from '../../ui/time.tsx'
import { type Contact, getReplyRecipients, type Message } from './message.ts'
import { getFullText } from './message-text.ts'
import type { Recipients } from './recipient-fields.tsx'
import type { Content } from './use-autosave.ts'

/** The content of an email draft. */
export type EmailContent = Content & {
  readonly subject: string
  readonly recipients: Recipients
  readonly files: readonly UploadedFile[]
}

export const toEmailContent = ({ body, subject, recipients, attachments = [] }: Message): EmailContent => ({
  text: body,
  subject,
  recipients: { cc: [], bcc: [], ...recipients },
  files: attachments.flatMap(({ id, name, size }) => (id ? [{ id, name, size }] : [])),
})

/** Returns the content of a new draft to these recipients, or to none yet. */
export const createEmailContent = (to: readonly Contact[] = []): EmailContent => ({
  text: '',
  subject: '',
  recipients: { to, cc: [], bcc: [] },
  files: [],
})

export const createReplyContent = (parent: Message): EmailContent =>
  createEmailContent(getReplyRecipients(parent))

export const createForwardContent = (message: Message): EmailContent => ({
  ...createEmailContent(),
  text: quoteForwarded(message),
  subject: /^(?:fwd?|wg|tr|rv):/i.test(message.subject) ? message.subject : `Fwd: ${message.subject}`.trim(),
})

/** The line above a forwarded message. */
export const FORWARDED = '---------- Forwarded message ----------'

/** Reports whether the draft forwards a message, which is usually sent to new recipients. */
export const isForward = ({ text }: EmailContent): boolean => text.includes(FORWARDED)

function quoteForwarded(message: Message): string {
  const { from, sentAt, subject, recipients } = message
  const lines = [
    FORWARDED,
    `From: ${from ? formatHeader([from]) : 'Unknown'}`,
    `Date: ${formatDateTime(new Date(sentAt))}`,
    `Subject: ${subject}`,
    `To: ${formatHeader(recipients.to)}`,
    ...(recipients.cc?.length ? [`Cc: ${formatHeader(recipients.cc)}`] : []),
    '',
    getFullText(message),
  ]
  return `\n\n${replaceTags(lines.join('\n'))}`
}

const formatHeader = (contacts: readonly Contact[]): string =>
  contacts.map(({ name, email }) => (name && name !== email ? `${name} <${email}>` : email)).join(', ')

/** Replaces the `<` of tags: text with tags would be sent as HTML. */
const replaceTags = (text: string): string =>
  text.replace(new RegExp(htmlTagPattern, 'gi'), tag => `‹${tag.slice(1)}`)

/** Returns the fields of `updateEmailDraft` that differ from the saved content. */
export const getChanges = (content: EmailContent, saved: EmailContent) => ({
  ...(content.text !== saved.text && { body: content.text, expectedBody: saved.text }),
  ...(content.subject !== saved.subject && { subject: content.subject }),
  ...(content.recipients !== saved.recipients && { recipients: toInput(content.recipients) }),
  ...(content.files !== saved.files && { attachmentIds: getIds(content.files) }),
})

/** Returns the fields of `sendEmailDraft` that make it refuse other content. */
export const toExpected = ({ text, subject, recipients, files }: EmailContent) => ({
  // A new reply has no subject here; the server adds it.
  ...(subject && { expectedSubject: subject }),
  expectedBody: text,
  expectedRecipients: Object.values(recipients).flatMap(contacts => contacts.map(({ email }) => email)),
  expectedAttachmentIds: getIds(files),
})

/** Returns the input of a new draft, without its text and subject. */
export const toNewDraft = ({ recipients, files }: EmailContent) => ({
  recipients: toInput(recipients),
  ...(files.length > 0 && { attachmentIds: getIds(files) }),
})

const toInput = ({ to, cc, bcc }: Recipients) => ({ to: [...to], cc: [...cc], bcc: [...bcc] })
const getIds = (files: readonly UploadedFile[]) => files.map(({ id }) => id)
