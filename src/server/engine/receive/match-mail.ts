import type { StoredMailbox } from '../../domain/mailboxes/transport.ts'
import { selectPersonIds } from '../../domain/people/persons/person-aliases.ts'
import { personEmails, selectEmailPersonId } from '../../domain/people/persons/person-emails.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { canonicalEmail, getEmailDomain } from '../../protocols/identity/email.ts'
import type { ParsedEmail } from '../../protocols/mime/parse.ts'
import { toReplySubject } from '../../protocols/mime/reply.ts'

/** Our email that a received email replies to, with its thread and prospect. */
export type Match = {
  repliesToId: string
  threadId: string
  personId: string | null
  prospectId: string | null
  /** Explains the match to people. */
  reason: string
}

type MatchedMessage = Omit<Match, 'reason'>

const MAX_IDS = 60
const DAY_MS = 86_400_000
/** A reply that references none of our Message-IDs is matched only to emails from this period. */
const RECENT_MS = 60 * DAY_MS
/** Tolerated difference between the clocks of two servers. */
const CLOCK_SKEW_MS = 10 * 60_000
const MAX_RECENT = 50

/**
 * Finds our email that a received email replies to: by the Message-IDs that it references, else by the tokens in its
 * recipient addresses, else by its sender. Only our recipients know the Message-IDs, so any sender may use them.
 */
export async function matchMail(
  tx: Sql,
  mailbox: Pick<StoredMailbox, 'id' | 'email' | 'aliases'>,
  mail: ParsedEmail,
  tokens: readonly string[],
  receivedAt: Date,
): Promise<Match | undefined> {
  const byId = await findByIds(tx, listReferencedIds(mail))
  if (byId) return { ...byId, reason: 'it references one of our emails' }
  const byToken = await findByIds(tx, toMessageIds(tokens, mailbox))
  if (byToken) return { ...byToken, reason: 'it was sent to the plus address of one of our emails' }
  const sender = canonicalEmail(mail.from?.address ?? '')
  if (!sender) return undefined
  const bySender = await findRecentTo(tx, mailbox.id, sender, mail.subject, receivedAt)
  return bySender && { ...bySender, reason: 'this mailbox recently wrote to its sender' }
}

/** Finds the recent email from the address of this mailbox to that address whose subject matches best. */
export async function findRecentTo(
  tx: Sql,
  mailboxId: string,
  email: string,
  subject: string,
  at: Date,
): Promise<MatchedMessage | undefined> {
  // Syncs include mail from before ours was sent, which cannot be a reply to it.
  const [from, to] = [-RECENT_MS, CLOCK_SKEW_MS].map(ms => new Date(at.getTime() + ms)) as [Date, Date]
  return selectBySubject(await findRecent(tx, mailboxId, email, { from, to }), subject)
}

/** Lists the Message-IDs of the emails that an email replies to, nearest first (RFC 5322 section 3.6.4). */
export const listReferencedIds = ({ inReplyTo, references }: Pick<ParsedEmail, 'inReplyTo' | 'references'>) =>
  [...new Set([...(inReplyTo ? [inReplyTo] : []), ...references.toReversed()])].slice(0, MAX_IDS)

/**
 * Turns plus-address tokens into Message-IDs: a token is the part before the @, and the domain is that of a sender
 * address.
 */
export function toMessageIds(
  tokens: readonly string[],
  { email, aliases }: Pick<StoredMailbox, 'email' | 'aliases'>,
): string[] {
  const domains = new Set([email, ...aliases].map(getEmailDomain))
  return tokens.slice(0, MAX_IDS).flatMap(token => [...domains].map(domain => `<${token}@${domain}>`))
}

/** Returns the latest email with the same subject, ignoring prefixes such as "Re:", else the latest email. */
export const selectBySubject = <T extends { subject: string }>(
  latestFirst: readonly T[],
  subject: string,
): T | undefined =>
  latestFirst.find(each => toReplySubject(each.subject) === toReplySubject(subject)) ?? latestFirst[0]

/** Finds a message by these Message-IDs, in their order; prefers our own messages to received ones. */
export async function findByIds(tx: Sql, ids: readonly string[]): Promise<MatchedMessage | undefined> {
  if (ids.length === 0) return undefined
  const [found] = await tx<MatchedMessage[]>`
    select m.id as "repliesToId", m.thread_id as "threadId", ${selectEmailPersonId(tx)} as "personId",
           m.prospect_id as "prospectId"
      from unnest(${[...ids]}::text[]) with ordinality named(id, position)
     cross join lateral (
            (select * from email_messages where account_id = current_account_id() and message_id = named.id limit 5)
             union all
            (select o.*
               from email_message_aliases a
               join email_messages o on o.account_id = a.account_id and o.id = a.email_message_id
              where a.account_id = current_account_id() and a.message_id = named.id)) m
     order by m.type = 'received', named.position, m.sent_at desc
     limit 1`
  return found
}

/** Finds emails from the address of this mailbox to the person with that address, latest first. */
const findRecent = (tx: Sql, mailboxId: string, email: string, sent: { from: Date; to: Date }) => tx<
  (MatchedMessage & { subject: string })[]
>`
  select m.id as "repliesToId", m.thread_id as "threadId", p.id as "personId", m.prospect_id as "prospectId", m.subject
    from (${selectPersonIds(tx, 'email', tx`array[${email}::text]`)}) found
    join persons p on p.account_id = current_account_id() and p.id = found.id
   cross join lateral (${tx.unsafe(personEmails)}) m
    join mailboxes b on b.account_id = m.account_id and b.id = m.mailbox_id
   -- The address may have been connected before, through a mailbox that was deleted.
   where b.email = (select email from mailboxes where account_id = current_account_id() and id = ${mailboxId})
     and m.type <> 'received' and m.sent_at between ${sent.from} and ${sent.to}
     and (m.status = 'sent' or exists (select from email_sends e
                                        where e.account_id = m.account_id and e.message_id = m.id
                                          and (e.state in ('dot_pending', 'sent', 'unconfirmed') or e.is_repeat)))
   order by m.sent_at desc, m.id desc
   limit ${MAX_RECENT}`
