import type { TestApp } from '../support/app.ts'
import type { MailCampaign } from '../support/mail/mail-campaign.ts'
import type { Dot, Journal } from './journal.ts'

/**
 * A sample of `last_synced_at`: the start of the mailbox's last complete sync, by the engine's clock, and the time of
 * the sample by the journal's clock and the engine's clock.
 */
export type SyncSample = { mailboxId: string; beganAt: number; journalTime: number; engineTime: number }

export type ReplyTally = {
  replies: number
  followUps: number
  /** Sent after a complete sync that began after the reply's arrival. */
  late: number
  /** Sent when the reply had been in the mailbox for longer than an inbox may go without a sync. */
  stale: number
  /** Follow-ups sent after the reply arrived: from all mailboxes, and from those without network faults. */
  crossed: number
  crossedWithoutFault: number
  /** How long after the reply's arrival these follow-ups were sent. */
  crossedAfterMs: { longest: number; longestWithoutFault: number }
  /** From a reply's arrival in the mailbox until it was stored, for mailboxes without network faults. */
  knownAfterMs: { p50: number; p99: number }
  /** Samples in which a mailbox's last sync was too old for follow-ups. */
  unreadSamples: number
  duplicated: number
  /** Replies not stored exactly once, or whose prospect doesn't have the status `replied`. */
  lost: number
  /** People who never replied and didn't get every step. */
  missingSteps: number
}

/** Time allowed on a busy machine for the last bytes of an email, which are sent after the gate. */
const LAST_BYTES_MS = 3_000

export type Person = {
  email: string
  status: string
  mailboxId: string
  received: number
  knownAt: Date | null
}

/** Returns the recorded state of every person in the campaign. */
export const readPeople = ({ owner }: TestApp, campaign: MailCampaign): Promise<Person[]> => owner<Person[]>`
  select p.email, r.status, max(m.mailbox_id::text) filter (where m.type = 'campaign') as "mailboxId",
         count(*) filter (where m.type = 'received')::int as received,
         min(m.created_at) filter (where m.type = 'received') as "knownAt"
    from prospects r
    join persons p on p.account_id = r.account_id and p.id = r.person_id
    left join email_messages m on m.account_id = r.account_id and m.prospect_id = r.id
   where r.account_id = ${campaign.owner.accountId} and r.campaign_id = ${campaign.campaignId}
   group by p.email, r.status`

/** The time at which a reply reached its mailbox: by the journal's clock, the engine's clock and the real clock. */
export type Arrival = { email: string; journalTime: number; engineTime: number; realTime: number }

export function getArrivals({ acknowledgements }: Journal): Arrival[] {
  return acknowledgements
    .filter(({ operation }) => operation === 'reply')
    .map(({ key, at, result }) => ({
      email: key,
      journalTime: at,
      ...(result as Pick<Arrival, 'engineTime' | 'realTime'>),
    }))
}

/** Compares every person's recorded state with what the mail servers received and what the mailboxes contained. */
export function tallyReplies(
  {
    people,
    dots,
    arrivals,
    samples,
  }: { people: Person[]; dots: Dot[]; arrivals: Arrival[]; samples: SyncSample[] },
  {
    steps,
    maxAgeMs,
    mailboxIdsWithoutFault,
  }: { steps: number; maxAgeMs: number; mailboxIdsWithoutFault: readonly string[] },
): ReplyTally {
  const dotsTo = Map.groupBy(
    dots.filter(dot => dot.isAccepted),
    dot => dot.to,
  )
  const arrivalByEmail = new Map(arrivals.map(arrival => [arrival.email, arrival]))
  const counts = { followUps: 0, late: 0, stale: 0, duplicated: 0, lost: 0, missingSteps: 0 }
  const [crossings, crossingsWithoutFault, delays]: [number[], number[], number[]] = [[], [], []]
  for (const { email, status, mailboxId, received, knownAt } of people) {
    const own = dotsTo.get(email) ?? []
    counts.followUps += Math.max(0, own.length - 1)
    counts.duplicated += own.length - new Set(own.map(({ messageId }) => messageId)).size
    const arrival = arrivalByEmail.get(email)
    if (!arrival) {
      if (own.length !== steps) counts.missingSteps += 1
      continue
    }
    if (received !== 1 || status !== 'replied') counts.lost += 1
    if (knownAt && mailboxIdsWithoutFault.includes(mailboxId))
      delays.push(knownAt.getTime() - arrival.realTime)
    for (const { at } of own.filter(dot => dot.at > arrival.journalTime)) {
      const passedAt = at - LAST_BYTES_MS
      const isKnown = (sample: SyncSample) =>
        sample.mailboxId === mailboxId && sample.journalTime < passedAt && sample.beganAt > arrival.engineTime
      if (samples.some(isKnown)) counts.late += 1
      if (passedAt - arrival.journalTime > maxAgeMs) counts.stale += 1
      crossings.push(at - arrival.journalTime)
      if (mailboxIdsWithoutFault.includes(mailboxId)) crossingsWithoutFault.push(at - arrival.journalTime)
    }
  }
  return {
    replies: arrivals.length,
    ...counts,
    crossed: crossings.length,
    crossedWithoutFault: crossingsWithoutFault.length,
    crossedAfterMs: { longest: longest(crossings), longestWithoutFault: longest(crossingsWithoutFault) },
    knownAfterMs: { p50: percentile(delays, 0.5), p99: percentile(delays, 0.99) },
    unreadSamples: samples.filter(sample => sample.engineTime - sample.beganAt > maxAgeMs).length,
  }
}

const longest = (values: number[]): number => Math.round(Math.max(0, ...values))

const percentile = (values: number[], part: number): number =>
  Math.round(values.toSorted((a, b) => a - b)[Math.floor(part * (values.length - 1))] ?? 0)
