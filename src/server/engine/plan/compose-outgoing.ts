import type { UnsubscribeLink } from '../../domain/people/dnc/unsubscribe-token.ts'
import { toBodyParts } from '../../protocols/mime/body.ts'
import { type ComposedEmail, composeEmail } from '../../protocols/mime/compose.ts'
import type { SigningKey } from '../../protocols/mime/dkim.ts'
import { sentIdHeader } from '../../protocols/mime/reply.ts'
import { toUnsubscribeHeaders } from '../../protocols/mime/unsubscribe.ts'
import type { Contact, Outgoing } from '../attempt.ts'

type Written = Pick<
  Outgoing,
  'subject' | 'body' | 'bodyFormat' | 'sender' | 'recipients' | 'messageId' | 'inReplyTo' | 'referenceIds'
>

/**
 * A message of an account as its bytes. Steps alone say how to unsubscribe: what a person wrote to one other is no mailing. Throws
 * `invalid` for what cannot be put into a mail.
 */
export async function composeOutgoing(
  accountId: string,
  { sender, recipients, subject, body, bodyFormat, messageId, inReplyTo, referenceIds }: Written,
  date: Date,
  {
    unsubscribe,
    signingKey,
  }: { unsubscribe?: UnsubscribeLink | undefined; signingKey?: SigningKey | undefined } = {},
): Promise<ComposedEmail> {
  const address = ({ name, email }: Contact) => ({ name, address: email })
  return composeEmail({
    messageId,
    from: address(sender),
    to: recipients.to.map(address),
    cc: recipients.cc?.map(address),
    bcc: recipients.bcc?.map(address),
    subject,
    ...(await toBodyParts(body, bodyFormat, accountId)),
    inReplyTo: inReplyTo ?? undefined,
    references: referenceIds,
    headers: {
      ...(unsubscribe && toUnsubscribeHeaders(sender.email, unsubscribe)),
      [sentIdHeader]: messageId,
    },
    date,
    signingKey,
  })
}
