import { randomUUIDv7 } from 'node:crypto'
import { recordBouncedAddresses } from '../../domain/dnc/bounced-addresses.ts'
import { recordOwnOptOut } from '../../domain/dnc/own-opt-out.ts'
import { stopMailbox } from '../../domain/mailboxes/circuit-breaker.ts'
import {
  findBounceClasses,
  findRefusingDomains,
  takeReceivedMail,
} from '../../domain/messages/received-mails.ts'
import { setDelivery } from '../../domain/messages/write-email-messages.ts'
import { confirmSend } from '../../domain/outbox/sends.ts'
import type { Sql } from '../../kernel/db/database.ts'
import type { BounceClass } from '../../protocols/mail-reading/classify.ts'
import { type Believed, believe, findReported } from './find-reported.ts'
import { type Incoming, ignored, known, type Receipt } from './incoming-mail.ts'
import { tokenIds } from './match-mail.ts'

const DAY_MS = 86_400_000
/** One company's server may refuse whom it likes; when several do within a day it is about us. */
const REFUSING_DOMAINS = 3
const worstFirst: BounceClass[] = ['hard', 'policy', 'unknown', 'soft']

/** A bounce or a complaint: its trace is kept when it is believed, and nothing at all else. */
export async function receiveReport(
  tx: Sql,
  incoming: Incoming,
  kind: 'bounce' | 'complaint',
): Promise<Receipt> {
  const { mail, mailbox, classified, fingerprint } = incoming
  const ids = [...classified.originalMessageIds, ...tokenIds(classified.envelopeTokens, mailbox.email)].slice(
    0,
    60,
  )
  const mails = await findReported(tx, ids)
  const believed =
    believe(classified.recipients, mails) ?? (kind === 'complaint' ? believe([], mails) : undefined)
  if (!believed) return ignored(kind, 'it names no mail of ours that went to whom it is about')
  const taken = { id: randomUUIDv7(), fingerprint, mailboxId: mailbox.id, kind, receivedAt: mail.receivedAt }
  const bounceClass = kind === 'bounce' ? worstOf(believed) : undefined
  if (!(await takeReceivedMail(tx, { ...taken, aboutId: believed.sent.id, bounceClass }))) {
    return known(tx, incoming)
  }
  await confirmSend(tx, { messageId: believed.sent.id, response: `It came back as a ${kind}` })
  if (kind === 'bounce') await actOnBounce(tx, incoming, believed)
  else await actOnComplaint(tx, incoming, believed)
  return { outcome: 'stored', kind, why: classified.why }
}

const worstOf = ({ recipients }: Believed): BounceClass =>
  worstFirst.find(each => recipients.some(recipient => recipient.class === each))!

/** Only a dead address stops anything: what is full or slow today may work tomorrow, and is shown and counted. */
async function actOnBounce(tx: Sql, incoming: Incoming, { sent, recipients }: Believed): Promise<void> {
  const emailMessageId = sent.id
  const of = (...classes: BounceClass[]) => recipients.filter(each => classes.includes(each.class))
  const [failed] = worstFirst.flatMap(each => of(each))
  if (failed && (await isWorst(tx, emailMessageId, failed.class))) {
    const { email, class: found, status } = failed
    await setDelivery(
      tx,
      emailMessageId,
      'bounced',
      `${email} could not be reached: ${found}${status ? ` (${status})` : ''}`,
    )
  }
  const dead = of('hard').map(({ email }) => email)
  const who = { sql: tx, accountId: incoming.mail.accountId, actor: 'bounce' }
  if (dead.length > 0) await recordBouncedAddresses(who, { emails: dead, emailMessageId })
  if (of('policy').length > 0) await judgeMailbox(tx, incoming)
}

/** Whether no other report about the mail was worse. */
async function isWorst(tx: Sql, emailMessageId: string, found: BounceClass): Promise<boolean> {
  const classes = await findBounceClasses(tx, emailMessageId)
  return classes.every(each => worstFirst.indexOf(found) <= worstFirst.indexOf(each))
}

/** A mailbox that is refused everywhere only makes it worse by going on. */
async function judgeMailbox(tx: Sql, { mailbox, now }: Incoming): Promise<void> {
  const domains = await findRefusingDomains(tx, mailbox.id, new Date(now.getTime() - DAY_MS))
  if (domains.length < REFUSING_DOMAINS) return
  const some = domains.slice(0, REFUSING_DOMAINS).join(', ')
  await stopMailbox(
    tx,
    mailbox.id,
    `The servers of ${some} refused its mail by their policies within a day. Check SPF, DKIM and DMARC of the domain and its reputation, then verify the mailbox again.`,
    new Date(now.getTime() + DAY_MS),
  )
}

async function actOnComplaint(tx: Sql, { mail }: Incoming, { sent, recipients }: Believed): Promise<void> {
  const who = { sql: tx, accountId: mail.accountId, actor: 'complaint' }
  const emails = recipients.map(({ email }) => email)
  await recordOwnOptOut(who, { source: 'complaint', emails, emailMessageId: sent.id })
}
