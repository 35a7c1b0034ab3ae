import { randomUUIDv7 } from 'node:crypto'
import { unsubscribeInTransaction } from '../../domain/dnc/unsubscribe.ts'
import { ingestMail } from '../../domain/messages/received-mails.ts'
import type { Unsubscriber } from '../../domain/people/opt-outs/unsubscribe-token.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { duplicateResult, type IncomingMail, type ReceiveResult } from './incoming-mail.ts'

/**
 * Receives the email that a List-Unsubscribe link creates and opts out the recipient of the link, from any sender:
 * the token authorizes it. The email is not stored, because no person wrote it.
 */
export async function receiveUnsubscribe(
  tx: Sql,
  incoming: IncomingMail,
  link: Unsubscriber,
): Promise<ReceiveResult> {
  const { app, mail, mailbox, fingerprint } = incoming
  const [message] = await tx<{ id: string }[]>`
    select id from email_messages where account_id = current_account_id() and id = ${link.emailMessageId}`
  const ingested = {
    id: randomUUIDv7(),
    fingerprint,
    mailboxId: mailbox.id,
    kind: 'unsubscribe' as const,
    repliesToId: message?.id,
    receivedAt: mail.receivedAt,
  }
  if (!(await ingestMail(tx, ingested))) return duplicateResult(tx, incoming)
  await unsubscribeInTransaction({ app, sql: tx }, link, 'unsubscribe_mail')
  return {
    outcome: 'stored',
    kind: 'unsubscribe',
    reason: 'its subject contains the token of one of our emails',
  }
}
