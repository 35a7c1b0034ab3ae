import { nextAttemptAt } from '../../kernel/async/backoff.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { auditEngine } from '../accounts/audit-log.ts'

const SERVER_BACKOFF = { baseMs: 30_000, maxMs: 15 * 60_000 }
const MAILBOX_BACKOFF = { baseMs: 15 * 60_000, maxMs: 6 * 3_600_000 }
/** A probe, by one email or one sign-in, ends within this time. */
const PROBE_MS = 2 * 60_000
/**
 * After this many consecutive errors, which take about an hour, the next one fails the mailbox, and other mailboxes take
 * over its sends.
 */
const MAX_SERVER_ERRORS = 8

/** The state of a mailbox's circuit breaker. The circuit is closed while `failureCount` is 0. */
type Circuit = { id: string; failureCount: number }

/** The reason nothing can be sent: the server refuses the mailbox, or is unavailable. */
export type SendingError = { reason: string; isServerDown: boolean }

/** Returns the time of the next sign-in: later for a refused mailbox than for a server that may be back any minute. */
export const getNextProbeAt = (now: Date, failureCount: number, { isServerDown }: SendingError): Date =>
  nextAttemptAt(now, failureCount, isServerDown ? SERVER_BACKOFF : MAILBOX_BACKOFF)

/** Returns a condition for mailboxes `b` on the same server as `own`. Sandbox mailboxes share one server. */
const isSameServer = (tx: Sql) => tx`
  b.account_id = own.account_id and (b.smtp_host, b.smtp_port) is not distinct from (own.smtp_host, own.smtp_port)
  and b.status = 'active' and b.removed_at is null`

/** Fails the mailbox: nothing is sent from it until a sign-in succeeds. */
export async function failMailbox(
  tx: Sql,
  { id, failureCount }: Circuit,
  error: SendingError,
  now: Date,
): Promise<void> {
  await markMailboxFailing(tx, id, error.reason, getNextProbeAt(now, failureCount, error))
}

/** Marks the mailbox as failing, with the time of its next sign-in. */
export async function markMailboxFailing(tx: Sql, id: string, reason: string, retryAt: Date): Promise<void> {
  const failed = await tx`
    update mailboxes
       set status = 'failing', status_reason = ${reason}, failure_count = failure_count + 1, retry_at = ${retryAt},
           updated_at = now()
     where account_id = current_account_id() and id = ${id} and status <> 'failing' and removed_at is null`
  if (failed.count > 0) await auditEngine(tx, 'mark_failing', 'mailbox', id)
}

/**
 * Opens the circuit of all mailboxes that the account has on an unavailable server, or of one mailbox whose sign-in the
 * server defers (`isOwn`). Simultaneous errors of several emails count as one failure. Returns the time of the next
 * probe; undefined after too many failures, when the mailbox fails.
 */
export async function openCircuit(
  tx: Sql,
  mailbox: Circuit & { isProbe: boolean },
  { reason, isOwn }: { reason: string; isOwn: boolean },
  now: Date,
): Promise<Date | undefined> {
  const { id, failureCount, isProbe } = mailbox
  if (failureCount >= MAX_SERVER_ERRORS) {
    await failMailbox(tx, mailbox, { reason, isServerDown: true }, now)
    return undefined
  }
  const retryAt = nextAttemptAt(now, failureCount, SERVER_BACKOFF)
  await tx`
    update mailboxes b
       set status_reason = ${reason}, failure_count = ${failureCount + 1}, retry_at = ${retryAt}, updated_at = now()
      from mailboxes own
     where own.account_id = current_account_id() and own.id = ${id} and ${isSameServer(tx)}
       and (b.id = own.id or ${!isOwn}) and (${isProbe} or b.retry_at is null or b.retry_at <= ${now})`
  return retryAt
}

/**
 * Claims the half-open probe, so that one email at a time tries the server. Returns false if it is claimed or not yet
 * due.
 */
export async function claimHalfOpenProbe(tx: Sql, { id }: Circuit, now: Date): Promise<boolean> {
  const claimed = await tx<{ id: string }[]>`
    update mailboxes b
       set retry_at = ${new Date(now.getTime() + PROBE_MS)}
      from mailboxes own
     where own.account_id = current_account_id() and own.id = ${id} and ${isSameServer(tx)}
       and b.failure_count > 0 and b.retry_at <= ${now}
    returning b.id`
  return claimed.some(each => each.id === id)
}

/** Returns whether the circuit is closed. It can't close before the transaction ends. */
export async function isCircuitClosed(tx: Sql, { id }: Circuit): Promise<boolean> {
  const [mailbox] = await tx<{ isClosed: boolean }[]>`
    select failure_count = 0 as "isClosed" from mailboxes where account_id = current_account_id() and id = ${id} for share`
  return mailbox?.isClosed === true
}

/** Closes the circuit after the server responded to an email. Returns the mailboxes and the reason they waited. */
export const closeCircuit = (tx: Sql, { id }: Circuit): Promise<{ id: string; reason: string }[]> => tx<
  { id: string; reason: string }[]
>`
  update mailboxes b
     set status_reason = null, failure_count = 0, retry_at = null, updated_at = now()
    from mailboxes own, mailboxes before
   where own.account_id = current_account_id() and own.id = ${id} and ${isSameServer(tx)} and b.failure_count > 0
     and before.account_id = b.account_id and before.id = b.id
  returning b.id, coalesce(before.status_reason, '') as reason`

export type ClaimedProbe = { accountId: string; mailboxId: string }

/** Claims failing mailboxes of all accounts that are due for a sign-in. Requires the engine's role. */
export const claimProbes = (
  engine: Sql,
  { now, limit }: { now: Date; limit: number },
): Promise<ClaimedProbe[]> => engine<ClaimedProbe[]>`
  update mailboxes b
     set retry_at = ${new Date(now.getTime() + PROBE_MS)}
    from (select account_id, id
            from mailboxes
           where status = 'failing' and removed_at is null and coalesce(retry_at, '-infinity') <= ${now}
           order by coalesce(retry_at, '-infinity')
           limit ${limit}
             for update skip locked) due
   where b.account_id = due.account_id and b.id = due.id
  returning b.account_id as "accountId", b.id as "mailboxId"`

/**
 * Makes the next sign-in of a failing mailbox due immediately, because the reason for its failure has ended. Skips a
 * locked mailbox: the transaction that locked it may need the grant that the caller has locked, so waiting could
 * deadlock.
 */
export const expediteProbe = (
  tx: Sql,
  { mailboxId, reason, now }: { mailboxId: string; reason: string; now: Date },
) => tx`
  update mailboxes b set retry_at = ${now}
    from (select id
            from mailboxes
           where account_id = current_account_id() and id = ${mailboxId}
             and status = 'failing' and status_reason = ${reason} and removed_at is null
             for update skip locked) failed
   where b.account_id = current_account_id() and b.id = failed.id`

/**
 * Records the result of a sign-in. A mailbox that could sign in is active again but half-open: its next email is sent
 * alone, because a server may accept a sign-in and still refuse to send.
 */
export const recordProbe = (
  tx: Sql,
  { id, failureCount }: Circuit,
  error: SendingError | undefined,
  now: Date,
) => tx`
  update mailboxes
     set status = ${error === undefined ? 'active' : 'failing'},
         status_reason = coalesce(${error?.reason ?? null}, status_reason),
         verified_at = coalesce(verified_at, case when ${error === undefined} then ${now}::timestamptz end),
         failure_count = greatest(1, failure_count + ${error === undefined ? 0 : 1}),
         retry_at = ${error ? getNextProbeAt(now, failureCount, error) : now}, updated_at = now()
   where account_id = current_account_id() and id = ${id} and status = 'failing' and removed_at is null`
