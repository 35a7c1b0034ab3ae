import { randomUUIDv7 } from 'node:crypto'
import type { Sql } from '../db.ts'
import { canonicalEmail } from '../identity/email.ts'
import { takeReceivedMail } from '../inbox/received-mails.ts'
import { confirmSend } from '../inbox/sends.ts'
import { actOnAnswer } from './act-on-answer.ts'
import { matchMail } from './match-mail.ts'
import { type Incoming, ignored, known, type Receipt } from './received.ts'
import { storeReceived } from './store-received.ts'

/** What a person wrote, or a program for them: into its thread, and then acted on. */
export async function receiveAnswer(
  tx: Sql,
  incoming: Incoming,
  kind: 'reply' | 'auto_reply' | 'unsubscribe',
): Promise<Receipt> {
  const { mail, mailbox, parsed, classified, fingerprint, now } = incoming
  const match = await matchMail(tx, mailbox, parsed, classified.envelopeTokens, mail.receivedAt)
  if (!match) return ignored(kind, 'it answers no mail of ours')
  const { aboutId, threadId } = match
  const taken = { id: randomUUIDv7(), fingerprint, mailboxId: mailbox.id, kind, receivedAt: mail.receivedAt }
  if (!(await takeReceivedMail(tx, { ...taken, aboutId }))) return known(tx, incoming)
  await confirmSend(tx, { messageId: aboutId, response: 'It was answered' })
  await storeReceived(tx, { ...taken, threadId }, parsed)
  const sender = canonicalEmail(parsed.from?.address ?? '')
  await actOnAnswer(tx, { accountId: mail.accountId, match, classified, sender, now })
  return { outcome: 'stored', kind, messageId: taken.id, why: `${classified.why}; ${match.why}` }
}
