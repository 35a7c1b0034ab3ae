import { randomUUIDv7 } from 'node:crypto'
import { recordBouncedAddresses } from '../../domain/dnc/bounced-addresses.ts'
import { recordOptOutRequest } from '../../domain/dnc/record-opt-out-request.ts'
import { stopMailbox } from '../../domain/mailboxes/circuit-breaker.ts'
import { findBounceClasses, findRefusingDomains, ingestMail } from '../../domain/messages/received-mails.ts'
import { setDelivery } from '../../domain/messages/write-email-messages.ts'
import { confirmSend } from '../../domain/outbox/sends.ts'
import type { Sql } from '../../kernel/db/database.ts'
import type { BounceClass } from '../../protocols/mail-reading/classify.ts'
import { type BelievedReport, believe, findReported } from './find-reported.ts'
import { duplicate, type IncomingMail, ignored, type ReceiveResult } from './incoming-mail.ts'
import { toMessageIds } from './match-mail.ts'

const DAY_MS = 86_400_000
/** One server may refuse a sender for its own reasons; several within a day mean that the mailbox is at fault. */
const MAX_REFUSING_DOMAINS = 3
const worstFirst: BounceClass[] = ['hard', 'policy', 'unknown', 'soft']

/** Receives a bounce or spam complaint. Acts only on a report that is believed; the report itself is not stored. */
export async function receiveReport(
  tx: Sql,
  incoming: IncomingMail,
  kind: 'bounce' | 'complaint',
): Promise<ReceiveResult> {
  const { mail, mailbox, classified, fingerprint } = incoming
  const ids = [
    ...classified.originalMessageIds,
    ...toMessageIds(classified.envelopeTokens, mailbox.email),
  ].slice(0, 60)
  const mails = await findReported(tx, ids)
  const believed =
    believe(classified.recipients, mails) ?? (kind === 'complaint' ? believe([], mails) : undefined)
  if (!believed) return ignored(kind, 'it names no mail of ours that went to its recipient')
  const ingested = {
    id: randomUUIDv7(),
    fingerprint,
    mailboxId: mailbox.id,
    kind,
    receivedAt: mail.receivedAt,
  }
  const bounceClass = kind === 'bounce' ? findWorst(believed) : undefined
  if (!(await ingestMail(tx, { ...ingested, repliesToId: believed.sent.id, bounceClass }))) {
    return duplicate(tx, incoming)
  }
  await confirmSend(tx, { messageId: believed.sent.id, response: `A ${kind} was received` })
  if (kind === 'bounce') await actOnBounce(tx, incoming, believed)
  else await actOnComplaint(tx, incoming, believed)
  return { outcome: 'stored', kind, why: classified.why }
}

const findWorst = ({ recipients }: BelievedReport): BounceClass =>
  worstFirst.find(each => recipients.some(recipient => recipient.class === each))!

/** Records a bounce. Only an address that does not exist is opted out: a full or slow mailbox may work tomorrow. */
async function actOnBounce(
  tx: Sql,
  incoming: IncomingMail,
  { sent, recipients }: BelievedReport,
): Promise<void> {
  const emailMessageId = sent.id
  const select = (...classes: BounceClass[]) => recipients.filter(each => classes.includes(each.class))
  const [failed] = worstFirst.flatMap(each => select(each))
  if (failed && (await isWorst(tx, emailMessageId, failed.class))) {
    const { email, class: found, status } = failed
    await setDelivery(
      tx,
      emailMessageId,
      'bounced',
      `${email} could not be reached: ${found}${status ? ` (${status})` : ''}`,
    )
  }
  const dead = select('hard').map(({ email }) => email)
  const who = { sql: tx, accountId: incoming.mail.accountId, actor: 'bounce' }
  if (dead.length > 0) await recordBouncedAddresses(who, { emails: dead, emailMessageId })
  if (select('policy').length > 0) await stopRefusedMailbox(tx, incoming)
}

/** True when no other report about the mail was worse. */
async function isWorst(tx: Sql, emailMessageId: string, found: BounceClass): Promise<boolean> {
  const classes = await findBounceClasses(tx, emailMessageId)
  return classes.every(each => worstFirst.indexOf(found) <= worstFirst.indexOf(each))
}

/** Stops a mailbox that several domains refuse, because sending on would harm its reputation further. */
async function stopRefusedMailbox(tx: Sql, { mailbox, now }: IncomingMail): Promise<void> {
  const domains = await findRefusingDomains(tx, mailbox.id, new Date(now.getTime() - DAY_MS))
  if (domains.length < MAX_REFUSING_DOMAINS) return
  const some = domains.slice(0, MAX_REFUSING_DOMAINS).join(', ')
  await stopMailbox(
    tx,
    mailbox.id,
    `The servers of ${some} rejected its mail for policy reasons within a day. Check SPF, DKIM and DMARC of the domain and its reputation, then verify the mailbox again.`,
    new Date(now.getTime() + DAY_MS),
  )
}

async function actOnComplaint(
  tx: Sql,
  { mail }: IncomingMail,
  { sent, recipients }: BelievedReport,
): Promise<void> {
  const who = { sql: tx, accountId: mail.accountId, actor: 'complaint' }
  const emails = recipients.map(({ email }) => email)
  await recordOptOutRequest(who, { source: 'complaint', emails, emailMessageId: sent.id })
}
