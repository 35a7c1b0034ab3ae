import type { TestApp } from '../support/app.ts'
import type { MailCampaign } from '../support/mail/mail-campaign.ts'
import type { Dot, Journal } from './journal.ts'

/** What the system said at a time: the last look at a mailbox that saw everything began then. */
export type Look = { mailboxId: string; beganAt: number; seenAt: number; seenAtByClock: number }

export type ReplyTally = {
  replies: number
  followUps: number
  /** Sent although the system had said already that it knew all that the mailbox held after the reply arrived. */
  late: number
  /** Sent when the reply had been in the mailbox for longer than an inbox may stay unread. */
  stale: number
  /** Reply and follow-up met on their ways; in mailboxes without trouble, and how long the reply had been there. */
  crossed: number
  crossedWithoutTrouble: number
  crossedAfterMs: { longest: number; longestWithoutTrouble: number }
  /** From a reply's arrival in the mailbox until it was in the database, where the way had no trouble. */
  knownAfterMs: { p50: number; p99: number }
  /** Samples of a mailbox for which follow-ups had to wait. */
  unreadSamples: number
  doubled: number
  /** Replies that were not stored exactly once, or whose prospect is not said to have replied. */
  lost: number
  /** People who never replied and did not get all three steps. */
  short: number
}

/** For the last bytes of a mail, which leave behind the gate, on a machine that does much else. */
const LAST_BYTES_MS = 3_000

export type Person = {
  email: string
  status: string
  mailboxId: string
  received: number
  knownAt: Date | null
}

/** What the system says of everybody in the campaign. */
export const readPeople = ({ owner }: TestApp, campaign: MailCampaign): Promise<Person[]> => owner<Person[]>`
  select p.email, r.status, max(m.mailbox_id::text) filter (where m.type = 'campaign') as "mailboxId",
         count(*) filter (where m.type = 'received')::int as received,
         min(m.created_at) filter (where m.type = 'received') as "knownAt"
    from prospects r
    join persons p on p.account_id = r.account_id and p.id = r.person_id
    left join email_messages m on m.account_id = r.account_id and m.prospect_id = r.id
   where r.account_id = ${campaign.owner.accountId} and r.campaign_id = ${campaign.campaignId}
   group by p.email, r.status`

/** When a reply was in its mailbox: by the journal's clock, the engine's and the wall's. */
export type Arrival = { email: string; seenAt: number; at: number; realAt: number }

export function arrivalsIn({ acknowledgements }: Journal): Arrival[] {
  return acknowledgements
    .filter(({ operation }) => operation === 'reply')
    .map(({ key, at, answer }) => ({ email: key, seenAt: at, ...(answer as Pick<Arrival, 'at' | 'realAt'>) }))
}

/** What became of every person, held against what the mail servers got and what was put into the mailboxes. */
export function checkReplies(
  { people, dots, arrivals, looks }: { people: Person[]; dots: Dot[]; arrivals: Arrival[]; looks: Look[] },
  { steps, maxAgeMs, calm }: { steps: number; maxAgeMs: number; calm: readonly string[] },
): ReplyTally {
  const dotsTo = Map.groupBy(
    dots.filter(dot => dot.isAccepted),
    dot => dot.to,
  )
  const arrivalOf = new Map(arrivals.map(arrival => [arrival.email, arrival]))
  const counts = { followUps: 0, late: 0, stale: 0, doubled: 0, lost: 0, short: 0 }
  const [crossings, calmCrossings, delays]: [number[], number[], number[]] = [[], [], []]
  for (const { email, status, mailboxId, received, knownAt } of people) {
    const got = dotsTo.get(email) ?? []
    counts.followUps += Math.max(0, got.length - 1)
    counts.doubled += got.length - new Set(got.map(({ messageId }) => messageId)).size
    const arrival = arrivalOf.get(email)
    if (!arrival) {
      if (got.length !== steps) counts.short += 1
      continue
    }
    if (received !== 1 || status !== 'replied') counts.lost += 1
    if (knownAt && calm.includes(mailboxId)) delays.push(knownAt.getTime() - arrival.realAt)
    for (const { at } of got.filter(dot => dot.at > arrival.seenAt)) {
      const passedAt = at - LAST_BYTES_MS
      const isKnown = (look: Look) =>
        look.mailboxId === mailboxId && look.seenAt < passedAt && look.beganAt > arrival.at
      if (looks.some(isKnown)) counts.late += 1
      if (passedAt - arrival.seenAt > maxAgeMs) counts.stale += 1
      crossings.push(at - arrival.seenAt)
      if (calm.includes(mailboxId)) calmCrossings.push(at - arrival.seenAt)
    }
  }
  return {
    replies: arrivals.length,
    ...counts,
    crossed: crossings.length,
    crossedWithoutTrouble: calmCrossings.length,
    crossedAfterMs: { longest: longest(crossings), longestWithoutTrouble: longest(calmCrossings) },
    knownAfterMs: { p50: share(delays, 0.5), p99: share(delays, 0.99) },
    unreadSamples: looks.filter(look => look.seenAtByClock - look.beganAt > maxAgeMs).length,
  }
}

const longest = (values: number[]): number => Math.round(Math.max(0, ...values))

const share = (values: number[], part: number): number =>
  Math.round(values.toSorted((a, b) => a - b)[Math.floor(part * (values.length - 1))] ?? 0)
