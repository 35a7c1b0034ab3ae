import { randomUUIDv7 } from 'node:crypto'
import { failReplacedAlias } from '../../domain/mailboxes/stored-aliases.ts'
import type { StoredMailbox } from '../../domain/mailboxes/transport.ts'
import { addMessageAlias } from '../../domain/messages/message-aliases.ts'
import { ingestMail } from '../../domain/messages/received-mails.ts'
import { openThread } from '../../domain/messages/write-email-messages.ts'
import { confirmSend } from '../../domain/outbox/sends.ts'
import { stopSequences } from '../../domain/outbox/stop-on-reply.ts'
import { selectPersonIds } from '../../domain/people/persons/person-aliases.ts'
import { openStatuses } from '../../domain/prospects/write-prospects.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { canonicalEmail } from '../../protocols/identity/email.ts'
import { parseMessageIds, sentIdHeader } from '../../protocols/identity/message-id.ts'
import type { ParsedEmail } from '../../protocols/mime/parse.ts'
import { duplicateResult, type IncomingMail, ignoredResult, type ReceiveResult } from './incoming-mail.ts'
import { findByIds, findRecentTo, listReferencedIds } from './match-mail.ts'
import { storeOwnMail } from './store-mail.ts'

/**
 * Receives an email from the Sent folder: a copy of one of our emails, or an email that a rep wrote in another
 * program. The latter is handled like a sent draft if it was sent to a prospect or continues one of our threads: it is
 * stored in the thread and stops the sequences.
 */
export async function receiveOwnMail(tx: Sql, incoming: IncomingMail): Promise<ReceiveResult> {
  const { mail, mailbox, parsed, classified, fingerprint, now } = incoming
  if (await receiveCopy(tx, parsed)) {
    await checkSender(tx, mailbox, parsed)
    return ignoredResult('own', 'it is a copy of a known message')
  }
  if (!/^(reply|unsubscribe)$/.test(classified.kind)) return ignoredResult('own', 'it is an automatic email')
  const emails = [...parsed.to, ...parsed.cc].flatMap(({ address }) => canonicalEmail(address) ?? [])
  await lockAddressees(tx, emails)
  const prospect = await findAddressee(tx, emails, mail.receivedAt)
  const thread =
    (await findReferencedThread(tx, parsed, emails)) ??
    (prospect && (await findRecentTo(tx, mailbox.id, prospect.email, parsed.subject, mail.receivedAt)))
  if (!thread && !prospect)
    return ignoredResult('own', 'it was not addressed to a prospect or to the people in one of our threads')
  const id = randomUUIDv7()
  const ingested = {
    id,
    fingerprint,
    mailboxId: mailbox.id,
    kind: 'own' as const,
    receivedAt: mail.receivedAt,
  }
  if (!(await ingestMail(tx, { ...ingested, repliesToId: thread?.repliesToId })))
    return duplicateResult(tx, incoming)
  const threadId = thread?.threadId ?? (await openThreadWith(tx, mailbox, prospect!, parsed.subject))
  await storeOwnMail(tx, { ...ingested, threadId }, parsed)
  const prospectId = thread?.prospectId ?? prospect?.id ?? null
  await stopSequences(tx, { prospectId, personId: thread?.personId, emails }, 'manual_email', now)
  const reason = thread ? 'the rep wrote it in one of our threads' : 'the rep wrote it to a prospect'
  return { outcome: 'stored', kind: 'own', messageId: id, reason }
}

/**
 * Returns whether the email is a copy of a known message. A copy confirms that the message was sent. If the server
 * has replaced our Message-ID, stores the new one, because replies refer to it.
 */
async function receiveCopy(tx: Sql, { messageId, headers }: ParsedEmail): Promise<boolean> {
  const ownIds = headers.get(sentIdHeader.toLowerCase()) ?? []
  const known = await findByIds(tx, [messageId ?? '', ...ownIds].flatMap(parseMessageIds))
  if (!known) return false
  const { repliesToId } = known
  if (messageId && !(await findByIds(tx, [messageId]))) await addMessageAlias(tx, repliesToId, messageId)
  await confirmSend(tx, { messageId: repliesToId, response: 'Found in the Sent folder' })
  return true
}

/**
 * Marks an alias as failing when Gmail replaced it as the sender because the mailbox may not use it. Gmail then names
 * the alias in X-Google-Original-From.
 */
async function checkSender(tx: Sql, mailbox: StoredMailbox, { from, headers }: ParsedEmail): Promise<void> {
  const [original = ''] = headers.get('x-google-original-from') ?? []
  const [email, sender] = [canonicalEmail(original), canonicalEmail(from?.address ?? '')]
  if (email && sender && sender !== email) await failReplacedAlias(tx, mailbox, { email, sender })
}

/** Keeps the recipients from being erased or merged until the transaction ends. */
const lockAddressees = (tx: Sql, emails: readonly string[]) => tx`
  select from persons
   where account_id = current_account_id() and id in (${selectPersonIds(tx, 'email', tx`${[...emails]}::text[]`)})
   order by id
     for key share`

type Addressee = { id: string; personId: string; campaignId: string; email: string }

/**
 * Finds the recipient who was a prospect when the email was written, preferably one with remaining steps. Compares
 * whole seconds, because mail servers report no fractions.
 */
async function findAddressee(tx: Sql, emails: readonly string[], at: Date): Promise<Addressee | undefined> {
  const [addressee] = await tx<Addressee[]>`
    select r.id, r.person_id as "personId", r.campaign_id as "campaignId", coalesce(p.email, ${emails[0] ?? ''}) as email
      from (${selectPersonIds(tx, 'email', tx`${[...emails]}::text[]`)}) found
      join persons p on p.account_id = current_account_id() and p.id = found.id
      join prospects r on r.account_id = p.account_id and r.person_id = p.id
     where date_trunc('second', r.created_at) <= ${at}
     order by r.status in ${openStatuses(tx)} desc, r.created_at desc, r.id desc
     limit 1`
  return addressee
}

/**
 * Finds the thread that the email references, if it was sent to the thread's person or to somebody who wrote in the
 * thread.
 */
async function findReferencedThread(tx: Sql, parsed: ParsedEmail, emails: readonly string[]) {
  const referenced = await findByIds(tx, listReferencedIds(parsed))
  if (!referenced) return undefined
  const { count } = await tx`
    select from (${selectPersonIds(tx, 'email', tx`${[...emails]}::text[]`)}) found where id = ${referenced.personId}
     union all
    select from email_messages
     where account_id = current_account_id() and thread_id = ${referenced.threadId} and type = 'received'
       and sender ->> 'email' = any(${[...emails]}::text[])
     limit 1`
  return count > 0 ? referenced : undefined
}

const openThreadWith = (tx: Sql, mailbox: StoredMailbox, prospect: Addressee, subject: string) =>
  openThread(tx, {
    subject,
    personId: prospect.personId,
    prospectId: prospect.id,
    campaignId: prospect.campaignId,
    repId: mailbox.repId,
    mailboxId: mailbox.id,
  })
