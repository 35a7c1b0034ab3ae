import { recordOptOutRequest } from '../../domain/dnc/record-opt-out-request.ts'
import { stopForReply } from '../../domain/outbox/stop-on-reply.ts'
import { selectPersonIds } from '../../domain/people/persons/person-aliases.ts'
import { selectEmailPersonId } from '../../domain/people/persons/person-emails.ts'
import { type Clock, clockColumns, getProspectZone } from '../../domain/prospects/due-time.ts'
import { type ConversationPeople, markAway, markOptOutRequested } from '../../domain/prospects/in-touch.ts'
import type { ReplyChannel } from '../../domain/reply-agent/claim-replies.ts'
import type { App } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/db/database.ts'
import type { Classified } from '../../protocols/mail-reading/classify.ts'
import type { Match } from './match-mail.ts'

export type MatchedReply = {
  app: App
  accountId: string
  match: Match
  classified: Classified
  /** Canonical address; undefined when the email has none. */
  sender: string | undefined
  now: Date
}

/** `repliesToId` is the email that the person replied to; on LinkedIn, the message with the request itself. */
type OptOutRequest = Pick<MatchedReply, 'app' | 'accountId' | 'sender'> & {
  match: Pick<Match, 'repliesToId' | 'prospectId'>
  channel: ReplyChannel
}

/**
 * Applies a stored reply to the sequences, in the transaction that stored it: stops them, or opts the person out. An
 * automatic reply never stops a sequence; it only postpones the next step until the person is back.
 */
export async function actOnReply(tx: Sql, reply: MatchedReply): Promise<void> {
  const { kind } = reply.classified
  if (kind === 'auto_reply') return postponeUntilReturn(tx, reply)
  const isOptOutRequest = kind === 'unsubscribe'
  if (isOptOutRequest && (await optsOutOnRequest(tx))) await optOut(tx, { ...reply, channel: 'email' })
  await stopForReply(
    tx,
    toConversationPeople(reply),
    isOptOutRequest ? 'asks_to_unsubscribe' : null,
    reply.now,
  )
}

/** Returns the recipient of our email and the sender of the reply, who may be a colleague. */
const toConversationPeople = ({ match, sender }: MatchedReply): ConversationPeople => ({
  prospectId: match.prospectId,
  personId: match.personId,
  emails: sender ? [sender] : [],
})

async function postponeUntilReturn(tx: Sql, reply: MatchedReply): Promise<void> {
  const { returnsAt } = reply.classified
  const { prospectId, repliesToId } = reply.match
  if (!returnsAt || !prospectId || (await isOtherRecipient(tx, repliesToId, reply.sender))) return
  const [clock] = await tx<Clock[]>`
    select ${clockColumns(tx)}
      from prospects r
      join campaigns c on c.account_id = r.account_id and c.id = r.campaign_id
      join persons p on p.account_id = r.account_id and p.id = r.person_id
      join accounts a on a.id = r.account_id
     where r.account_id = current_account_id() and r.id = ${prospectId}`
  const until = startOfDay(returnsAt, getProspectZone(clock!))
  if (until > reply.now) await markAway(tx, prospectId, until)
}

/** Returns the start of a day that is named in an email, in the time zone of its author. */
export const startOfDay = (day: Date, timezone: string): Date =>
  new Date(
    Temporal.Instant.fromEpochMilliseconds(day.getTime())
      .toZonedDateTimeISO('UTC')
      .toPlainDate()
      .toZonedDateTime(timezone).epochMilliseconds,
  )

/** Applies an opt-out request that was detected after the reply was stored, according to the account's settings. */
export async function actOnOptOutRequest(tx: Sql, request: OptOutRequest): Promise<void> {
  if (await optsOutOnRequest(tx)) return optOut(tx, request)
  if (request.match.prospectId) await markOptOutRequested(tx, request.match.prospectId)
}

async function optsOutOnRequest(tx: Sql): Promise<boolean> {
  const [account] = await tx<{ words: string }[]>`
    select unsubscribe_words as words from accounts where id = current_account_id()`
  return account?.words === 'opt_out'
}

/**
 * Returns whether our email went to several people and the sender is one of them, but not its person, whose address may
 * have changed since. Such a sender speaks only for themselves.
 */
async function isOtherRecipient(tx: Sql, emailId: string, sender: string | undefined): Promise<boolean> {
  if (!sender) return false
  const { count } = await tx`
    select from email_messages m
     cross join lateral (select list_addresses(jsonb_path_query_array(m.recipients, '$.*[*]')) as emails) sent
     where m.account_id = current_account_id() and m.id = ${emailId} and m.type <> 'received'
       and cardinality(sent.emails) > 1 and ${sender} = any(sent.emails)
       and not exists (select from (${selectPersonIds(tx, 'email', tx`array[${sender}::text]`)}) found
                        where id = ${selectEmailPersonId(tx)})
       and not exists (select from email_messages c
                        where c.account_id = m.account_id and c.prospect_id = m.prospect_id and c.type = 'campaign'
                          and c.recipients #>> '{to,0,email}' = ${sender})`
  return count > 0
}

/**
 * Opts out the sender of the request, the address that we wrote to and its person; for LinkedIn also the profile. Opts
 * out only the sender if they are another recipient of our email.
 */
async function optOut(tx: Sql, { app, accountId, match, sender, channel }: OptOutRequest): Promise<void> {
  const [asked] = await tx<{ personId: string | null; recipient: string | null }[]>`
    select coalesce((select person_id from prospects where account_id = current_account_id() and id = ${match.prospectId}),
                    (select ${selectEmailPersonId(tx)}
                       from email_messages m
                      where m.account_id = current_account_id() and m.id = ${match.repliesToId})) as "personId",
           (select recipient_emails[1]
              from email_sends
             where account_id = current_account_id() and message_id = ${match.repliesToId}
               and cardinality(recipient_emails) = 1) as recipient`
  const { personId, recipient } = asked!
  const request = {
    source: 'reply',
    personId: (await isOtherRecipient(tx, match.repliesToId, sender)) ? null : personId,
    emails: [recipient, sender].filter(email => email != null),
  } as const
  await recordOptOutRequest(
    { app, sql: tx, accountId, actor: 'reply' },
    channel === 'email'
      ? { ...request, emailMessageId: match.repliesToId }
      : { ...request, linkedinMessageId: match.repliesToId },
  )
}
