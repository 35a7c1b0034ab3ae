import { randomUUIDv7 } from 'node:crypto'
import type { StoredMailbox } from '../../domain/mailboxes/transport.ts'
import { takeReceivedMail } from '../../domain/messages/received-mails.ts'
import { openThread } from '../../domain/messages/write-email-messages.ts'
import { takeOver } from '../../domain/outbox/stop-on-reply.ts'
import { isOpen } from '../../domain/prospects/write-prospects.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { canonicalEmail } from '../../protocols/identity/email.ts'
import { parseMessageIds, sentIdHeader } from '../../protocols/identity/message-id.ts'
import { type Incoming, ignored, known, type Receipt } from './incoming-mail.ts'
import { findByIds, findRecentTo, namedIds } from './match-mail.ts'
import { storeWritten } from './store-mail.ts'

const MAX_PROSPECTS = 50

/**
 * What lies in the Sent folder: a copy of our own mail, or what a rep wrote in another program. To a prospect that is
 * the same as a draft that was sent: it stands in the thread, and sequences don't talk into it.
 */
export async function receiveWritten(tx: Sql, incoming: Incoming): Promise<Receipt> {
  const { mail, mailbox, parsed, classified, fingerprint, now } = incoming
  const named = parsed.headers.get(sentIdHeader.toLowerCase()) ?? []
  const ownIds = [parsed.messageId ?? '', ...named].flatMap(parseMessageIds)
  if (await findByIds(tx, ownIds)) return ignored('own', 'it is a copy of a message that is known')
  if (!/^(reply|unsubscribe)$/.test(classified.kind)) return ignored('own', 'no person wrote it')
  const emails = [...parsed.to, ...parsed.cc].flatMap(({ address }) => canonicalEmail(address) ?? [])
  const prospects = await findWrittenTo(tx, emails, mail.receivedAt)
  const [prospect] = prospects
  if (!prospect) return ignored('own', 'it was written to no prospect')
  const id = randomUUIDv7()
  const taken = { id, fingerprint, mailboxId: mailbox.id, kind: 'own' as const, receivedAt: mail.receivedAt }
  const thread = await findThread(tx, incoming, prospects)
  if (!(await takeReceivedMail(tx, { ...taken, aboutId: thread?.aboutId }))) return known(tx, incoming)
  const threadId = thread?.threadId ?? (await openThreadWith(tx, mailbox, prospect, parsed.subject))
  await storeWritten(tx, { ...taken, threadId }, parsed)
  await takeOver(tx, { prospectId: thread?.prospectId ?? prospect.id, emails }, 'manual_email', now)
  return { outcome: 'stored', kind: 'own', messageId: id, why: 'its owner wrote it to a prospect' }
}

type WrittenTo = { id: string; personId: string; campaignId: string; email: string }

/** Who was a prospect already when it was written; where something is still to come first. */
const findWrittenTo = (tx: Sql, emails: readonly string[], at: Date) => tx<WrittenTo[]>`
  select r.id, r.person_id as "personId", r.campaign_id as "campaignId", p.email
    from persons p
    join prospects r on r.account_id = p.account_id and r.person_id = p.id
   where p.account_id = current_account_id() and p.email = any(${[...emails]}) and r.created_at <= ${at}
   order by r.status in ${isOpen(tx)} desc, r.created_at desc, r.id desc
   limit ${MAX_PROSPECTS}`

/** The one that it names, when that is with one of them; else the latest with them, by the subject. */
async function findThread(tx: Sql, { mailbox, parsed, mail }: Incoming, prospects: readonly WrittenTo[]) {
  const named = await findByIds(tx, namedIds(parsed))
  if (named && prospects.some(({ id }) => id === named.prospectId)) return named
  return findRecentTo(tx, mailbox.id, prospects[0]!.email, parsed.subject, mail.receivedAt)
}

const openThreadWith = (tx: Sql, mailbox: StoredMailbox, prospect: WrittenTo, subject: string) =>
  openThread(tx, {
    subject,
    personId: prospect.personId,
    prospectId: prospect.id,
    campaignId: prospect.campaignId,
    repId: mailbox.repId,
    mailboxId: mailbox.id,
  })
