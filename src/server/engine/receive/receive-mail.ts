import { isOwnAddress } from '../../domain/mailboxes/own-addresses.ts'
import { findMailbox } from '../../domain/mailboxes/transport.ts'
import { fingerprintOf } from '../../domain/messages/received-mails.ts'
import { readUnsubscribeToken, type Unsubscriber } from '../../domain/people/opt-outs/unsubscribe-token.ts'
import { type App, inAccount } from '../../kernel/context.ts'
import { retryOnDeadlock, type Sql } from '../../kernel/db/database.ts'
import { type ParsedEmail, parseAndClassify } from '../../protocols/mime/parse.ts'
import { parseUnsubscribeSubject } from '../../protocols/mime/unsubscribe.ts'
import { type Incoming, ignored, type Receipt, type Received } from './incoming-mail.ts'
import { receiveWritten } from './receive-own-mail.ts'
import { receiveAnswer } from './receive-reply.ts'
import { receiveReport } from './receive-report.ts'
import { receiveUnsubscribe } from './receive-unsubscribe.ts'

/**
 * What a mail that came in does: it is stored in its thread, and acted on, in one transaction. The same mail given
 * twice (after a crash, from two folders, under another UIDVALIDITY) changes nothing the second time. What has to do
 * with no mail of ours is not kept.
 */
export async function receiveMail(app: App, mail: Received): Promise<Receipt> {
  const { accountId, mailboxId, folder } = mail
  const { email: parsed, classified } = await parseAndClassify(mail.raw, {}, mail.receivedAt, accountId)
  const fingerprint = fingerprintOf(parsed.messageId, mail.raw)
  const link = unsubscriberOf(app, mail, parsed)
  const receipt = await retryOnDeadlock(() =>
    inAccount(app.db.work, accountId, async tx => {
      const mailbox = await findMailbox(tx, mailboxId)
      if (!mailbox) return ignored(classified.kind, 'the mailbox was removed')
      return receiveIn(tx, { mail, mailbox, parsed, classified, fingerprint, now: app.now() }, link)
    }),
  )
  const { kind, outcome } = receipt
  app.metrics.receivedMails.inc({ kind, outcome })
  app.log.info({ accountId, mailboxId, folder, kind, outcome })
  return receipt
}

/** Of this account alone: a token of another one is not for its mailboxes. */
function unsubscriberOf(
  { keys }: App,
  { accountId }: Received,
  { subject }: ParsedEmail,
): Unsubscriber | undefined {
  const link = readUnsubscribeToken(keys, parseUnsubscribeSubject(subject) ?? '')
  return link?.accountId === accountId ? link : undefined
}

async function receiveIn(tx: Sql, incoming: Incoming, link: Unsubscriber | undefined): Promise<Receipt> {
  const { kind, why } = incoming.classified
  if (incoming.mail.folder === 'sent') return receiveWritten(tx, incoming)
  if (await isOwnAddress(tx, incoming.parsed.from?.address)) return ignored('own', 'it is a mail of our own')
  if (link) return receiveUnsubscribe(tx, incoming, link)
  switch (kind) {
    case 'reply':
    case 'auto_reply':
    case 'unsubscribe':
      return receiveAnswer(tx, incoming, kind)
    case 'bounce':
    case 'complaint':
      return receiveReport(tx, incoming, kind)
    default:
      return ignored(kind, why)
  }
}
