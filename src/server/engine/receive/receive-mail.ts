import { isOwnAddress } from '../../domain/mailboxes/own-addresses.ts'
import { findMailbox } from '../../domain/mailboxes/transport.ts'
import { receiveInvitation } from '../../domain/meetings/receive-invitation.ts'
import { computeFingerprint } from '../../domain/messages/received-mails.ts'
import { setHtml } from '../../domain/messages/write-email-messages.ts'
import { parseUnsubscribeToken, type Unsubscriber } from '../../domain/people/opt-outs/unsubscribe-token.ts'
import { type App, inAccount } from '../../kernel/context.ts'
import { retryOnDeadlock, type Sql } from '../../kernel/db/database.ts'
import type { Invitation } from '../../protocols/calendar/parse-invitation.ts'
import { toSafeHtml } from '../../protocols/mime/body.ts'
import { type ParsedEmail, parseAndClassify } from '../../protocols/mime/parse.ts'
import { getParserThreads } from '../../protocols/mime/parser-threads.ts'
import { parseUnsubscribeSubject } from '../../protocols/mime/unsubscribe.ts'
import { type IncomingMail, ignoredResult, type ReceivedMail, type ReceiveResult } from './incoming-mail.ts'
import { findByIds, listReferencedIds } from './match-mail.ts'
import { receiveAliasTest } from './receive-alias-test.ts'
import { readDmarcReport, receiveDmarcReport } from './receive-dmarc-report.ts'
import { receiveOwnMail } from './receive-own-mail.ts'
import { receiveReply } from './receive-reply.ts'
import { receiveReport } from './receive-report.ts'
import { receiveUnsubscribe } from './receive-unsubscribe.ts'

const MAX_HTML = 500_000
const CALENDAR_TIMEOUT_MS = 2_000

/**
 * Receives an email: matches it to one of our emails, stores it in its thread and acts on it, in one transaction.
 * Stores its calendar event in another transaction, so that the reply is kept even if the meeting can't be stored.
 * Receiving the same email again (after a crash, from another folder, under another UIDVALIDITY) changes nothing. Mail
 * unrelated to any of ours is not stored.
 */
export async function receiveMail(app: App, mail: ReceivedMail): Promise<ReceiveResult> {
  const { accountId, mailboxId, folder } = mail
  const {
    email: parsed,
    classified,
    files,
  } = await parseAndClassify(mail.raw, {}, mail.receivedAt, accountId)
  const fingerprint = computeFingerprint(parsed.messageId, mail.raw)
  const link = findUnsubscriber(app, mail, parsed)
  // Reports and invitations matter only when someone else sent them.
  const isOwn = folder === 'sent'
  const dmarcReport = isOwn ? undefined : await readDmarcReport(app, mail, parsed, files)
  const result = await retryOnDeadlock(() =>
    inAccount(app.db.work, accountId, async tx => {
      const mailbox = await findMailbox(tx, mailboxId)
      if (!mailbox) return ignoredResult(classified.kind, 'the mailbox was removed')
      return receiveInTransaction(
        tx,
        {
          app,
          mail,
          mailbox,
          parsed,
          files,
          classified,
          fingerprint,
          now: app.now(),
          dmarcReport,
        },
        link,
      )
    }),
  )
  const { kind, outcome, messageId } = result
  if (outcome === 'stored' && messageId && parsed.html)
    await storeHtml(app, { accountId, messageId, html: parsed.html })
  app.metrics.receivedEmails.inc({ kind, outcome })
  app.log.info({ accountId, mailboxId, folder, kind, outcome })
  const invitation = isOwn || kind === 'own' ? undefined : await readInvitation(parsed, accountId)
  const meeting =
    invitation &&
    (await retryOnDeadlock(() =>
      inAccount(app.db.work, accountId, tx =>
        receiveInvitation(tx, invitation, { messageId, now: app.now() }),
      ),
    ))
  return meeting ? { ...result, reason: `${result.reason}; ${meeting.reason}` } : result
}

/**
 * Stores the sanitized HTML of a stored email. Runs after the email is stored, because most received emails are not
 * stored and hostile HTML is slow to sanitize. The text is complete without it.
 */
async function storeHtml(
  app: App,
  { accountId, messageId, html }: { accountId: string; messageId: string; html: string },
): Promise<void> {
  try {
    const safe = await toSafeHtml(html, accountId)
    if (safe && safe.length <= MAX_HTML)
      await inAccount(app.db.work, accountId, tx => setHtml(tx, messageId, safe.toWellFormed()))
  } catch (err) {
    app.log.warn({ accountId, messageId, err }, 'receive: the HTML of an email was not stored')
  }
}

/** Reads the email's calendar event in a worker thread. Returns undefined if there is none or it takes too long. */
const readInvitation = async (
  { calendar }: ParsedEmail,
  accountId: string,
): Promise<Invitation | undefined> =>
  calendar === undefined
    ? undefined
    : ((await getParserThreads().run(accountId, () => ({ calendar }), CALENDAR_TIMEOUT_MS)) ?? undefined)

/** Finds the unsubscribe token in the subject; undefined for tokens of other accounts. */
function findUnsubscriber(
  { keys }: App,
  { accountId }: ReceivedMail,
  { subject }: ParsedEmail,
): Unsubscriber | undefined {
  const link = parseUnsubscribeToken(keys, parseUnsubscribeSubject(subject) ?? '')
  return link?.accountId === accountId ? link : undefined
}

async function receiveInTransaction(
  tx: Sql,
  incoming: IncomingMail,
  link: Unsubscriber | undefined,
): Promise<ReceiveResult> {
  const { dmarcReport, parsed } = incoming
  const test = await receiveAliasTest(tx, incoming)
  if (test) return test
  if (incoming.mail.folder === 'sent') return receiveOwnMail(tx, incoming)
  if (await isOwnAddress(tx, parsed.from?.address))
    return ignoredResult('own', 'a mailbox of this account sent it')
  if (link) return receiveUnsubscribe(tx, incoming, link)
  // A reply may have a report attached.
  if (dmarcReport && !(await findByIds(tx, listReferencedIds(parsed)))) {
    const received = await receiveDmarcReport(tx, dmarcReport)
    if (received) return received
  }
  return receiveByKind(tx, incoming)
}

function receiveByKind(tx: Sql, incoming: IncomingMail): Promise<ReceiveResult> | ReceiveResult {
  const { kind, reason } = incoming.classified
  switch (kind) {
    case 'reply':
    case 'auto_reply':
    case 'unsubscribe':
      return receiveReply(tx, incoming, kind)
    case 'bounce':
    case 'complaint':
      return receiveReport(tx, incoming, kind)
    default:
      return ignoredResult(kind, reason)
  }
}
