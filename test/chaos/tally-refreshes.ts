import { REFRESH_LEASE_MS } from '../../src/server/domain/mailboxes/access-token.ts'
import type { Sql } from '../../src/server/kernel/db/database.ts'
import { getPercentiles, type Percentiles } from './tally-deliveries.ts'

/** A change of a mailbox's grant. Changes are listed in commit order. */
export type GrantChange = { email: string; at: Date } & (
  | { kind: 'claimed' | 'renewed'; leaseEndsAt: Date }
  | { kind: 'failed'; retryAt: Date }
  | { kind: 'stored' }
)

export type RefreshTally = {
  /** The fewest and the most tokens stored for one grant. Each grant needs exactly one. */
  fewestRefreshes: number
  mostRefreshes: number
  /** Requests for each grant, including those that failed. */
  requestsPerGrant: Percentiles
  /** Requests after a token was stored. */
  unneeded: number
  /** Requests while the lease of another request was valid. */
  overlapping: number
  /** Requests before the backoff of a failure had ended. */
  early: number
  /** Requests that belong to no claim. */
  unclaimed: number
  /** Claims whose lease ended before their result was stored. */
  lapsed: number
}

/** The parts of the time from the expiry to a mailbox's first email. */
export type Delays = {
  /** Requests to the token endpoint and storing their results. */
  requestsMs: Percentiles
  backoffsMs: Percentiles
  /** The rest: waiting for the CPU, the database or the mail server. */
  restMs: Percentiles
}

/** Records every claim on a grant, and its result, in a table, regardless of the process that makes the claim. */
export async function recordGrantChanges(owner: Sql): Promise<void> {
  await owner`
    create table grant_changes (
      id            bigint generated always as identity,
      mailbox_id    uuid,
      at            timestamptz default clock_timestamp(),
      kind          text,
      lease_ends_at timestamptz,
      retry_at      timestamptz)`
  await owner`
    create function record_grant_change() returns trigger language plpgsql security definer as $$
    begin
      insert into grant_changes (mailbox_id, kind, lease_ends_at, retry_at)
      values (new.mailbox_id,
              case when new.epoch > old.epoch then 'claimed'
                   when new.failure_count > old.failure_count then 'failed'
                   when new.refreshing_until is not null then 'renewed'
                   else 'stored' end,
              new.refreshing_until, new.retry_at);
      return null;
    end $$`
  await owner`
    create trigger record_grant_change after update on mailbox_grants
       for each row execute function record_grant_change()`
}

export const readGrantChanges = (owner: Sql): Promise<GrantChange[]> => owner<GrantChange[]>`
  select b.email, c.at, c.kind, c.lease_ends_at as "leaseEndsAt", c.retry_at as "retryAt"
    from grant_changes c
    join mailboxes b on b.id = c.mailbox_id
   order by c.id`

/** Checks the requests that a token endpoint received, by mailbox, against the claims. */
export function tallyRefreshes(
  changes: readonly GrantChange[],
  requests: ReadonlyMap<string, number>,
): RefreshTally {
  const counts = { unneeded: 0, overlapping: 0, early: 0, unclaimed: 0, lapsed: 0 }
  const stored: number[] = []
  for (const [email, own] of Map.groupBy(changes, each => each.email)) {
    let previous: GrantChange | undefined
    let isStored = false
    for (const change of own) {
      if (change.kind === 'claimed') {
        const claimedAt = change.leaseEndsAt.getTime() - REFRESH_LEASE_MS
        if (isStored) counts.unneeded += 1
        if (previous?.kind === 'failed' && claimedAt < previous.retryAt.getTime()) counts.early += 1
        if (previous?.kind === 'claimed' || previous?.kind === 'renewed') {
          counts.lapsed += 1
          if (claimedAt < previous.leaseEndsAt.getTime()) counts.overlapping += 1
        }
      }
      isStored ||= change.kind === 'stored'
      previous = change
    }
    stored.push(own.filter(({ kind }) => kind === 'stored').length)
    const claims = own.filter(({ kind }) => kind === 'claimed').length
    counts.unclaimed += Math.max(0, (requests.get(email) ?? 0) - claims)
  }
  return {
    fewestRefreshes: Math.min(...stored),
    mostRefreshes: Math.max(...stored),
    requestsPerGrant: getPercentiles([...requests.values()]),
    ...counts,
  }
}

/** Splits the time until the first email of each mailbox. The engines' clock is ahead of that of the database. */
export function splitDelays(
  changes: readonly GrantChange[],
  firstDots: ReadonlyMap<string, number>,
  { expiredAt, clockOffsetMs }: { expiredAt: number; clockOffsetMs: number },
): Delays {
  const parts = { requests: [] as number[], backoffs: [] as number[], rest: [] as number[] }
  const changesByEmail = Map.groupBy(changes, each => each.email)
  for (const [email, dotAt] of firstDots) {
    let [requests, backoffs, claimedAt] = [0, 0, 0]
    for (const change of changesByEmail.get(email) ?? []) {
      const at = change.at.getTime()
      if (change.kind === 'claimed') claimedAt = at
      if (change.kind === 'failed' || change.kind === 'stored') requests += at - claimedAt
      // On a slow machine, the backoff may have ended before it is stored.
      if (change.kind === 'failed') backoffs += Math.max(0, change.retryAt.getTime() - clockOffsetMs - at)
    }
    parts.requests.push(requests)
    parts.backoffs.push(backoffs)
    parts.rest.push(dotAt - expiredAt - requests - backoffs)
  }
  return {
    requestsMs: getPercentiles(parts.requests),
    backoffsMs: getPercentiles(parts.backoffs),
    restMs: getPercentiles(parts.rest),
  }
}
