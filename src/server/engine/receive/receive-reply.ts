import { randomUUIDv7 } from 'node:crypto'
import { takeReceivedMail } from '../../domain/messages/received-mails.ts'
import { confirmSend } from '../../domain/outbox/sends.ts'
import { keepReply, type Reading } from '../../domain/reply-agent/replies.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { canonicalEmail } from '../../protocols/identity/email.ts'
import { detectReplyIntent } from '../../protocols/mail-reading/reply-intent.ts'
import type { ParsedEmail } from '../../protocols/mime/parse.ts'
import { actOnAnswer } from './act-on-reply.ts'
import { type Incoming, ignored, known, type Receipt } from './incoming-mail.ts'
import { matchMail } from './match-mail.ts'
import { storeReceived } from './store-mail.ts'

type Kind = 'reply' | 'auto_reply' | 'unsubscribe'

/** As far as rules can tell. */
function readAnswer(kind: Kind, { newText }: ParsedEmail, receivedAt: Date): Reading {
  if (kind === 'reply') return detectReplyIntent(newText, receivedAt) ?? {}
  return { intent: kind === 'auto_reply' ? 'auto' : 'opt_out' }
}

/** What a person wrote, or a program for them: into its thread, and then acted on. */
export async function receiveAnswer(tx: Sql, incoming: Incoming, kind: Kind): Promise<Receipt> {
  const { mail, mailbox, parsed, classified, fingerprint, now } = incoming
  const match = await matchMail(tx, mailbox, parsed, classified.envelopeTokens, mail.receivedAt)
  if (!match) return ignored(kind, 'it answers no mail of ours')
  const { aboutId, threadId } = match
  const taken = { id: randomUUIDv7(), fingerprint, mailboxId: mailbox.id, kind, receivedAt: mail.receivedAt }
  if (!(await takeReceivedMail(tx, { ...taken, aboutId }))) return known(tx, incoming)
  await confirmSend(tx, { messageId: aboutId, response: 'It was answered' })
  await storeReceived(tx, { ...taken, threadId }, parsed)
  const sender = canonicalEmail(parsed.from?.address ?? '')
  await keepReply(tx, {
    messageId: taken.id,
    isHuman: kind === 'reply',
    reading: readAnswer(kind, parsed, mail.receivedAt),
    receivedAt: mail.receivedAt,
    now,
  })
  await actOnAnswer(tx, { accountId: mail.accountId, match, classified, sender, now })
  return { outcome: 'stored', kind, messageId: taken.id, why: `${classified.why}; ${match.why}` }
}
