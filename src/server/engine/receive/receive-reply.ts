import { randomUUIDv7 } from 'node:crypto'
import { ingestMail } from '../../domain/messages/received-mails.ts'
import { confirmSend } from '../../domain/outbox/sends.ts'
import { type Classification, storeReply } from '../../domain/reply-agent/replies.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { canonicalEmail } from '../../protocols/identity/email.ts'
import { detectReplyIntent } from '../../protocols/mail-reading/reply-intent.ts'
import type { ParsedEmail } from '../../protocols/mime/parse.ts'
import { actOnReply } from './act-on-reply.ts'
import { duplicateResult, type IncomingMail, ignoredResult, type ReceiveResult } from './incoming-mail.ts'
import { matchMail } from './match-mail.ts'
import { storeReceivedMail } from './store-mail.ts'

type Kind = 'reply' | 'auto_reply' | 'unsubscribe'

/** Classifies the reply by rules, before a model does. */
function classifyByRules(kind: Kind, { newText }: ParsedEmail, receivedAt: Date): Classification {
  if (kind === 'reply') return detectReplyIntent(newText, receivedAt) ?? {}
  return { intent: kind === 'auto_reply' ? 'auto' : 'opt_out' }
}

/**
 * Returns the time a reply arrived, but not before the email that it replies to: mail servers report whole seconds,
 * and their clocks differ from ours. The Date header is not used, because it depends on the sender's clock.
 */
async function getReplyTime(tx: Sql, repliesToId: string, receivedAt: Date): Promise<Date> {
  const [row] = await tx<{ at: Date }[]>`
    select greatest(${receivedAt}::timestamptz, sent_at + interval '1 millisecond') as at
      from email_messages where account_id = current_account_id() and id = ${repliesToId}`
  return row!.at
}

/** Receives a reply or an automatic reply: stores it in the thread of the email it replies to, and acts on it. */
export async function receiveReply(tx: Sql, incoming: IncomingMail, kind: Kind): Promise<ReceiveResult> {
  const { app, mail, mailbox, parsed, classified, fingerprint, now } = incoming
  const match = await matchMail(tx, mailbox, parsed, classified.envelopeTokens, mail.receivedAt)
  if (!match) return ignoredResult(kind, 'it does not reply to any of our emails')
  const { repliesToId, threadId } = match
  await confirmSend(tx, { messageId: repliesToId, response: 'A reply was received' })
  const receivedAt = await getReplyTime(tx, repliesToId, mail.receivedAt)
  const ingested = {
    id: randomUUIDv7(),
    fingerprint,
    mailboxId: mailbox.id,
    kind,
    receivedAt,
  }
  if (!(await ingestMail(tx, { ...ingested, repliesToId }))) return duplicateResult(tx, incoming)
  await storeReceivedMail(tx, { ...ingested, threadId }, parsed, incoming)
  const sender = canonicalEmail(parsed.from?.address ?? '')
  await storeReply(tx, {
    messageId: ingested.id,
    isHuman: kind === 'reply',
    classification: classifyByRules(kind, parsed, mail.receivedAt),
    receivedAt,
    now,
  })
  await actOnReply(tx, { app, accountId: mail.accountId, match, classified, sender, now })
  return { outcome: 'stored', kind, messageId: ingested.id, reason: `${classified.reason}; ${match.reason}` }
}
