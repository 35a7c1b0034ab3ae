import { randomUUIDv7 } from 'node:crypto'
import { unsubscribeIn } from '../../domain/dnc/unsubscribe.ts'
import { takeReceivedMail } from '../../domain/messages/received-mails.ts'
import type { Unsubscriber } from '../../domain/people/opt-outs/unsubscribe-token.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { type Incoming, known, type Receipt } from './incoming-mail.ts'

/**
 * The mail that a List-Unsubscribe header asks for. Whoever holds its token needs no other proof, and nobody wrote
 * anything that should stand in the inbox.
 */
export async function receiveUnsubscribe(tx: Sql, incoming: Incoming, link: Unsubscriber): Promise<Receipt> {
  const { mail, mailbox, fingerprint } = incoming
  const [about] = await tx<{ id: string }[]>`
    select id from email_messages where account_id = current_account_id() and id = ${link.emailMessageId}`
  const taken = {
    id: randomUUIDv7(),
    fingerprint,
    mailboxId: mailbox.id,
    kind: 'unsubscribe' as const,
    aboutId: about?.id,
    receivedAt: mail.receivedAt,
  }
  if (!(await takeReceivedMail(tx, taken))) return known(tx, incoming)
  await unsubscribeIn(tx, link, 'unsubscribe_mail')
  return { outcome: 'stored', kind: 'unsubscribe', why: 'its subject holds the token of a mail of ours' }
}
