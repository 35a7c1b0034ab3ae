import { recordOwnOptOut } from '../../domain/dnc/own-opt-out.ts'
import { stopForReply } from '../../domain/outbox/stop-on-reply.ts'
import { type Clock, clockColumns, zoneOf } from '../../domain/prospects/due-time.ts'
import { findOpenProspects, type InTouch, markAway, noteWish } from '../../domain/prospects/in-touch.ts'
import type { ReplyChannel } from '../../domain/reply-agent/claim-replies.ts'
import type { Sql } from '../../kernel/db/database.ts'
import type { Classified } from '../../protocols/mail-reading/classify.ts'
import type { Match } from './match-mail.ts'

export type Answer = {
  accountId: string
  match: Match
  classified: Classified
  /** Canonical; undefined when the mail doesn't say it. */
  sender: string | undefined
  now: Date
}

/** `aboutId` is the mail of ours that they answer to, or what they wrote on LinkedIn. */
type Wish = Pick<Answer, 'accountId' | 'sender'> & {
  match: Pick<Match, 'aboutId' | 'prospectId'>
  channel: ReplyChannel
}

/**
 * What an answer that is in its thread does to sequences, in the same transaction. An automatic reply never stops
 * one: it can only let the next step wait until its owner is back.
 */
export async function actOnAnswer(tx: Sql, answer: Answer): Promise<void> {
  const { kind } = answer.classified
  if (kind === 'auto_reply') return waitForReturn(tx, answer)
  const wantsOut = kind === 'unsubscribe'
  if (wantsOut && (await optsOutByWords(tx))) return optOut(tx, { ...answer, channel: 'email' })
  await stopForReply(tx, whoOf(answer), wantsOut ? 'asks_to_unsubscribe' : null, answer.now)
}

/** Whom we wrote to, and whoever wrote: a colleague may answer for the other. */
const whoOf = ({ match, sender }: Answer): InTouch => ({
  prospectId: match.prospectId,
  emails: sender ? [sender] : [],
})

async function waitForReturn(tx: Sql, answer: Answer): Promise<void> {
  const { returnsAt } = answer.classified
  const { prospectId } = answer.match
  if (!returnsAt || !prospectId) return
  const [clock] = await tx<Clock[]>`
    select ${clockColumns(tx)}
      from prospects r
      join campaigns c on c.account_id = r.account_id and c.id = r.campaign_id
      join persons p on p.account_id = r.account_id and p.id = r.person_id
      join accounts a on a.id = r.account_id
     where r.account_id = current_account_id() and r.id = ${prospectId}`
  const until = startOfDay(returnsAt, zoneOf(clock!))
  if (until > answer.now)
    await markAway(tx, await findOpenProspects(tx, { prospectId, emails: [] }, 'theirs'), until)
}

/** A mail names a day, which begins by its writer's own clock. */
export const startOfDay = (day: Date, timezone: string): Date =>
  new Date(
    Temporal.Instant.fromEpochMilliseconds(day.getTime())
      .toZonedDateTimeISO('UTC')
      .toPlainDate()
      .toZonedDateTime(timezone).epochMilliseconds,
  )

/** Somebody who answered before turns out to want no more mail: as the account has it for a wish in words. */
export async function actOnWish(tx: Sql, wish: Wish): Promise<void> {
  if (await optsOutByWords(tx)) return optOut(tx, wish)
  if (wish.match.prospectId) await noteWish(tx, wish.match.prospectId)
}

async function optsOutByWords(tx: Sql): Promise<boolean> {
  const [account] = await tx<{ words: string }[]>`
    select unsubscribe_words as words from accounts where id = current_account_id()`
  return account?.words === 'opt_out'
}

/** The address that the wish came from, and the one that was written to; the profile, where the wish came from it. */
async function optOut(tx: Sql, { accountId, match, sender, channel }: Wish): Promise<void> {
  const [person] = await tx<{ email: string | null; linkedinUrl: string | null }[]>`
    select p.email, p.linkedin_url as "linkedinUrl"
      from prospects r
      join persons p on p.account_id = r.account_id and p.id = r.person_id
     where r.account_id = current_account_id() and r.id = ${match.prospectId}`
  const emails = [...new Set([person?.email, sender].filter(email => email != null))]
  const who = { sql: tx, accountId, actor: 'reply' }
  await recordOwnOptOut(
    who,
    channel === 'email'
      ? { source: 'reply', emails, emailMessageId: match.aboutId }
      : { source: 'reply', emails, linkedinUrl: person?.linkedinUrl, linkedinMessageId: match.aboutId },
  )
}
