import { nextAttemptAt } from '../../kernel/async/backoff.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { auditEngine } from '../accounts/audit-log.ts'

const SERVER_WAIT = { baseMs: 30_000, maxMs: 15 * 60_000 }
const MAILBOX_WAIT = { baseMs: 15 * 60_000, maxMs: 6 * 3_600_000 }
/** One mail that tries, or one sign-in, has ended by then. */
const TRIAL_MS = 2 * 60_000
/** About an hour: from then on other mailboxes take over what waits for this one. */
const MAX_SERVER_FAULTS = 8

/** A mailbox in trouble: how often in a row, and why. */
type Faulty = { id: string; faultCount: number }

/** Why nothing can be sent: the mailbox is refused, or its server is away. */
export type SendingFault = { reason: string; isServerDown: boolean }

/** When to sign in again. A server that was away for hours may be back any minute; a password rarely is. */
export const nextProbe = (now: Date, faultCount: number, { isServerDown }: SendingFault): Date =>
  nextAttemptAt(now, faultCount, isServerDown ? SERVER_WAIT : MAILBOX_WAIT)

/** Mailboxes `b` of the same server as `own`, in the account; those of the sandbox have one together. */
const sameServer = (tx: Sql) => tx`
  b.account_id = own.account_id and (b.smtp_host, b.smtp_port) is not distinct from (own.smtp_host, own.smtp_port)
  and b.status = 'active' and b.removed_at is null`

/** No mail of this mailbox passes: none is tried until somebody, or the engine, finds that it may sign in again. */
export async function failMailbox(
  tx: Sql,
  { id, faultCount }: Faulty,
  fault: SendingFault,
  now: Date,
): Promise<void> {
  await stopMailbox(tx, id, fault.reason, nextProbe(now, faultCount, fault))
}

/** It fails for that reason, and is looked at again then. */
export async function stopMailbox(tx: Sql, id: string, reason: string, retryAt: Date): Promise<void> {
  const failed = await tx`
    update mailboxes
       set status = 'failing', status_reason = ${reason}, fault_count = fault_count + 1, retry_at = ${retryAt},
           updated_at = now()
     where account_id = current_account_id() and id = ${id} and status <> 'failing' and removed_at is null`
  if (failed.count > 0) await auditEngine(tx, 'mark_failing', 'mailbox', id)
}

/**
 * The server is away, or lets nobody in: all mailboxes that the account has there wait. Many mails notice at once,
 * which counts as one fault. Tells until when; undefined when it has been so long that the mailbox fails.
 */
export async function backOff(
  tx: Sql,
  mailbox: Faulty & { isTrial: boolean },
  reason: string,
  now: Date,
): Promise<Date | undefined> {
  const { id, faultCount, isTrial } = mailbox
  if (faultCount >= MAX_SERVER_FAULTS) {
    await failMailbox(tx, mailbox, { reason, isServerDown: true }, now)
    return undefined
  }
  const retryAt = nextAttemptAt(now, faultCount, SERVER_WAIT)
  await tx`
    update mailboxes b
       set status_reason = ${reason}, fault_count = ${faultCount + 1}, retry_at = ${retryAt}, updated_at = now()
      from mailboxes own
     where own.account_id = current_account_id() and own.id = ${id} and ${sameServer(tx)}
       and (${isTrial} or b.retry_at is null or b.retry_at <= ${now})`
  return retryAt
}

/** Of what waits for a server in trouble one mail at a time may try; false when it is another's turn, or too early. */
export async function takeTrial(tx: Sql, { id }: Faulty, now: Date): Promise<boolean> {
  const taken = await tx<{ id: string }[]>`
    update mailboxes b
       set retry_at = ${new Date(now.getTime() + TRIAL_MS)}
      from mailboxes own
     where own.account_id = current_account_id() and own.id = ${id} and ${sameServer(tx)}
       and b.fault_count > 0 and b.retry_at <= ${now}
    returning b.id`
  return taken.some(each => each.id === id)
}

/** The server took a mail, or refused that one alone. Tells which mailboxes are well again, and for what they waited. */
export const endFaults = (tx: Sql, { id }: Faulty): Promise<{ id: string; reason: string }[]> => tx<
  { id: string; reason: string }[]
>`
  update mailboxes b
     set status_reason = null, fault_count = 0, retry_at = null, updated_at = now()
    from mailboxes own, mailboxes before
   where own.account_id = current_account_id() and own.id = ${id} and ${sameServer(tx)} and b.fault_count > 0
     and before.account_id = b.account_id and before.id = b.id
  returning b.id, coalesce(before.status_reason, '') as reason`

export type ClaimedProbe = { accountId: string; mailboxId: string }

/** Failing mailboxes of all accounts that may be signed in to again. Needs the engine's role. */
export const claimProbes = (
  engine: Sql,
  { now, limit }: { now: Date; limit: number },
): Promise<ClaimedProbe[]> => engine<ClaimedProbe[]>`
  update mailboxes b
     set retry_at = ${new Date(now.getTime() + TRIAL_MS)}
    from (select account_id, id
            from mailboxes
           where status = 'failing' and removed_at is null and coalesce(retry_at, '-infinity') <= ${now}
           order by coalesce(retry_at, '-infinity')
           limit ${limit}
             for update skip locked) due
   where b.account_id = due.account_id and b.id = due.id
  returning b.account_id as "accountId", b.id as "mailboxId"`

/**
 * What signing in showed. A mailbox that may is active again, on trial: its next mail goes alone, for a server may
 * let in whom it lets send nothing.
 */
export const recordProbe = (
  tx: Sql,
  { id, faultCount }: Faulty,
  fault: SendingFault | undefined,
  now: Date,
) => tx`
  update mailboxes
     set status = ${fault === undefined ? 'active' : 'failing'},
         status_reason = coalesce(${fault?.reason ?? null}, status_reason),
         fault_count = greatest(1, fault_count + ${fault === undefined ? 0 : 1}),
         retry_at = ${fault ? nextProbe(now, faultCount, fault) : now}, updated_at = now()
   where account_id = current_account_id() and id = ${id} and status = 'failing' and removed_at is null`
