import type { Sql } from '../../src/server/kernel/db/database.ts'
import type { Journal } from './journal.ts'

/**
 * Outcomes of all prospects of an account whose campaigns have one step each, and of all sent drafts: the recorded
 * status compared with the journal.
 */
export type Tally = {
  prospects: number
  sent: number
  /** Reported as unconfirmed, and how many of these were delivered. */
  unconfirmed: number
  unconfirmedDelivered: number
  /** Refused by the server, or held back because of an opt-out. */
  failed: number
  suppressed: number
  /** Deliveries beyond the first to a recipient. */
  duplicated: number
  /** Reported as sent but never delivered, or without a final status. */
  lost: number
  /** Delivered but reported as failed or suppressed. */
  misreported: number
  /** Delivered after an acknowledged opt-out that reported none in flight. */
  late: number
}

export async function tallyDeliveries(owner: Sql, journal: Journal, accountId: string): Promise<Tally> {
  const recorded = await owner<RecordedDelivery[]>`
    select p.email, case when m.id is null and r.status in ('paused', 'stopped', 'opted_out') then 'suppressed'
                         when m.id is null and r.status in ('failed', 'bounced') then 'failed'
                         else coalesce(m.delivery_status, m.status) end as delivery
      from prospects r
      join persons p on p.account_id = r.account_id and p.id = r.person_id
      left join email_messages m on m.account_id = r.account_id and m.prospect_id = r.id and m.type = 'campaign'
     where r.account_id = ${accountId}
     union all
    select e.recipient_emails[1], coalesce(m.delivery_status, m.status)
      from email_sends e
      join email_messages m on m.account_id = e.account_id and m.id = e.message_id
     where e.account_id = ${accountId} and e.prospect_id is null`
  return tallyRecordedDeliveries(recorded, journal)
}

/** The recorded delivery status of the email to a recipient; null when there is no email. */
export type RecordedDelivery = { email: string; delivery: string | null }

export function tallyRecordedDeliveries(recorded: readonly RecordedDelivery[], journal: Journal): Tally {
  const deliveries = Map.groupBy(
    journal.dots.filter(dot => dot.isAccepted),
    dot => dot.to,
  )
  const optOuts = journal.acknowledgements.filter(({ operation }) => operation === 'addOptOuts')
  const tally: Tally = {
    prospects: recorded.length,
    sent: 0,
    unconfirmed: 0,
    unconfirmedDelivered: 0,
    failed: 0,
    suppressed: 0,
    duplicated: 0,
    lost: 0,
    misreported: 0,
    late: 0,
  }
  for (const { email, delivery } of recorded) {
    const arrived = deliveries.get(email)?.length ?? 0
    tally.duplicated += Math.max(0, arrived - 1)
    if (delivery === 'sent') tally.sent += 1
    else if (delivery === 'unconfirmed') tally.unconfirmed += 1
    else if (delivery === 'failed') tally.failed += 1
    else if (delivery === 'suppressed') tally.suppressed += 1
    else tally.lost += 1
    if (delivery === 'sent' && arrived === 0) tally.lost += 1
    if (delivery === 'unconfirmed') tally.unconfirmedDelivered += Math.min(1, arrived)
    if ((delivery === 'failed' || delivery === 'suppressed') && arrived > 0) tally.misreported += 1
  }
  for (const { key, at, result } of optOuts) {
    const { inFlight } = result as { inFlight: number }
    if (inFlight === 0 && deliveries.get(key)?.some(dot => dot.at > at)) tally.late += 1
  }
  return tally
}

export const sumTallies = (tallies: Tally[]): Tally =>
  tallies.reduce((all, each) => {
    for (const name of Object.keys(each) as (keyof Tally)[]) all[name] += each[name]
    return all
  })

/** Percentiles of durations in milliseconds. */
export type Percentiles = { p50: number; p99: number; max: number }

export function getPercentiles(durations: number[]): Percentiles {
  const sorted = durations.toSorted((a, b) => a - b)
  const at = (share: number) => Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? 0)
  return { p50: at(0.5), p99: at(0.99), max: at(1) }
}

/** Prints the figures of a test case as one line of JSON. */
export const report = (caseName: string, figures: object): void =>
  console.log(JSON.stringify({ caseName, ...figures }))
