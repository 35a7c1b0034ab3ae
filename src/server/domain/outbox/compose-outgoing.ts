import { sentIdHeader } from '../../protocols/identity/message-id.ts'
import { type BodyFormat, toBodyParts, toSafeBodyParts } from '../../protocols/mime/body.ts'
import { type ComposedEmail, composeMessage, type OutgoingFile } from '../../protocols/mime/compose.ts'
import type { SigningKey } from '../../protocols/mime/dkim.ts'
import { addSignature } from '../../protocols/mime/signature.ts'
import { toLinkWord, toUnsubscribeHeaders } from '../../protocols/mime/unsubscribe.ts'
import type { UnsubscribeLink } from '../people/opt-outs/unsubscribe-token.ts'

type Contact = { name: string; email: string }

/** A message to be sent. */
export type Outgoing = {
  id: string
  /** True when a user sends an unconfirmed message again; its step has already ended. */
  isRepeat: boolean
  prospectId: string | null
  campaignId: string | null
  subject: string
  body: string
  bodyFormat: BodyFormat
  sender: Contact
  recipients: { to: Contact[]; cc?: Contact[]; bcc?: Contact[] }
  messageId: string
  inReplyTo: string | null
  referenceIds: string[]
  /** The files of an email that a person wrote. */
  files?: { id: string; name: string; type: string; size: number }[] | null
  /** The signature of an email that a person or the reply agent wrote; the body of a step already contains one. */
  signature?: string | null
}

type MessageContent = Pick<
  Outgoing,
  | 'subject'
  | 'body'
  | 'bodyFormat'
  | 'sender'
  | 'recipients'
  | 'messageId'
  | 'inReplyTo'
  | 'referenceIds'
  | 'signature'
>

/**
 * Composes a message. Only steps get `unsubscribe` headers; an email that a rep writes isn't bulk mail. Throws
 * ValidationError for content that an email can't contain.
 */
export async function composeOutgoing(
  accountId: string,
  {
    sender,
    recipients,
    subject,
    body,
    bodyFormat,
    messageId,
    inReplyTo,
    referenceIds,
    signature,
  }: MessageContent,
  date: Date,
  {
    unsubscribe,
    signingKey,
    attachments,
    headers,
    isPersonal,
  }: {
    unsubscribe?: UnsubscribeLink | undefined
    signingKey?: SigningKey | undefined
    attachments?: OutgoingFile[] | undefined
    headers?: Record<string, string>
    /** True for an email outside of campaigns; its HTML is sanitized. */
    isPersonal?: boolean
  } = {},
): Promise<ComposedEmail> {
  const toAddress = ({ name, email }: Contact) => ({ name, address: email })
  const parts = isPersonal
    ? await toSafeBodyParts(body, bodyFormat, accountId)
    : await toBodyParts(body, bodyFormat, accountId, unsubscribe && toLinkWord(unsubscribe))
  return composeMessage({
    messageId,
    from: toAddress(sender),
    to: recipients.to.map(toAddress),
    cc: recipients.cc?.map(toAddress),
    bcc: recipients.bcc?.map(toAddress),
    subject,
    ...(signature ? addSignature({ body, format: bodyFormat, parts }, signature) : parts),
    attachments,
    inReplyTo: inReplyTo ?? undefined,
    references: referenceIds,
    headers: {
      ...(unsubscribe && toUnsubscribeHeaders(sender.email, unsubscribe)),
      [sentIdHeader]: messageId,
      ...headers,
    },
    date,
    signingKey,
  })
}
