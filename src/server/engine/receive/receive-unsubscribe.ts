import { randomUUIDv7 } from 'node:crypto'
import { unsubscribeInTransaction } from '../../domain/dnc/unsubscribe.ts'
import { ingestMail } from '../../domain/messages/received-mails.ts'
import type { Unsubscriber } from '../../domain/people/opt-outs/unsubscribe-token.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { duplicate, type IncomingMail, type ReceiveResult } from './incoming-mail.ts'

/**
 * Receives the email that a List-Unsubscribe header asks for and opts its sender out. The token is proof enough. The mail is
 * not stored, because no person wrote it.
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
  if (!(await ingestMail(tx, ingested))) return duplicate(tx, incoming)
  await unsubscribeInTransaction({ app, sql: tx }, link, 'unsubscribe_mail')
  return {
    outcome: 'stored',
    kind: 'unsubscribe',
    why: 'its subject contains the token of one of our emails',
  }
}
