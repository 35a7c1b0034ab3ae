import type { Sql } from '../../src/server/db.ts'
import type { Journal } from './journal.ts'

/**
 * What became of every prospect of an account whose campaigns have one step each: what the system says of it, held
 * against what the journal saw.
 */
export type Tally = {
  prospects: number
  sent: number
  /** Nobody knows, and the system says so; of these some were delivered. */
  unknown: number
  unknownDelivered: number
  /** Refused by the server, or kept back for an opt-out. */
  failed: number
  suppressed: number
  /** Delivered more often than once. */
  doubled: number
  /** Said to be sent and never delivered, or without any account of what became of it. */
  lost: number
  /** Delivered although the system says that it was not. */
  silent: number
  /** Delivered after an opt-out was acknowledged that did not tell of a mail in flight. */
  late: number
}

export async function check(owner: Sql, journal: Journal, accountId: string): Promise<Tally> {
  const rows = await owner<{ email: string; status: string | null; delivery: string | null }[]>`
    select p.email, case when m.id is null and r.status in ('paused', 'opted_out') then 'suppressed'
                         when m.id is null and r.status in ('failed', 'bounced') then 'failed'
                         else coalesce(m.delivery_status, m.status) end as delivery,
           m.status
      from prospects r
      join persons p on p.account_id = r.account_id and p.id = r.person_id
      left join email_messages m on m.account_id = r.account_id and m.prospect_id = r.id
     where r.account_id = ${accountId}`
  const deliveries = Map.groupBy(
    journal.dots.filter(dot => dot.isAccepted),
    dot => dot.to,
  )
  const optOuts = journal.acknowledgements.filter(({ operation }) => operation === 'addOptOuts')
  const tally: Tally = {
    prospects: rows.length,
    sent: 0,
    unknown: 0,
    unknownDelivered: 0,
    failed: 0,
    suppressed: 0,
    doubled: 0,
    lost: 0,
    silent: 0,
    late: 0,
  }
  for (const { email, delivery } of rows) {
    const arrived = deliveries.get(email)?.length ?? 0
    tally.doubled += Math.max(0, arrived - 1)
    if (delivery === 'sent') tally.sent += 1
    else if (delivery === 'unconfirmed') tally.unknown += 1
    else if (delivery === 'failed') tally.failed += 1
    else if (delivery === 'suppressed') tally.suppressed += 1
    else tally.lost += 1
    if (delivery === 'sent' && arrived === 0) tally.lost += 1
    if (delivery === 'unconfirmed') tally.unknownDelivered += Math.min(1, arrived)
    if ((delivery === 'failed' || delivery === 'suppressed') && arrived > 0) tally.silent += 1
  }
  for (const { key, at, answer } of optOuts) {
    const { inFlight } = answer as { inFlight: number }
    if (inFlight === 0 && deliveries.get(key)?.some(dot => dot.at > at)) tally.late += 1
  }
  return tally
}

/** One line of JSON a claim, so that figures can be shown and compared. */
export const report = (claim: string, figures: object): void =>
  console.log(JSON.stringify({ claim, ...figures }))
