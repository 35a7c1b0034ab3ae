import type { Sql } from '../../kernel/db/database.ts'

/** A claim on syncing one mailbox. A worker with an older epoch has lost the claim and stops. */
export type ClaimedSync = { accountId: string; mailboxId: string; epoch: bigint }

/**
 * Claims mailboxes of all accounts whose sync is due, most overdue first, for `leaseMs`. Requires the engine's role.
 */
export const claimSyncs = (
  engine: Sql,
  { now, limit, leaseMs }: { now: Date; limit: number; leaseMs: number },
): Promise<ClaimedSync[]> => engine<ClaimedSync[]>`
  with due as (
    select account_id, mailbox_id
      from mailbox_syncs
     where due_at <= ${now}
     order by due_at
     limit ${limit}
       for update skip locked)
  update mailbox_syncs r
     set due_at = ${new Date(now.getTime() + leaseMs)}, epoch = r.epoch + 1
    from due d
   where r.account_id = d.account_id and r.mailbox_id = d.mailbox_id
  returning r.account_id as "accountId", r.mailbox_id as "mailboxId", r.epoch`

/** Returns whether any mailbox is due for a sync. Requires the engine's role. */
export async function isSyncDue(engine: Sql, now: Date): Promise<boolean> {
  const [due] = await engine`select from mailbox_syncs where due_at <= ${now} limit 1`
  return due !== undefined
}

/** Renews leases until the given time and returns the claims that are still valid. Requires the engine's role. */
export const renewSyncs = (
  engine: Sql,
  claims: readonly ClaimedSync[],
  until: Date,
): Promise<ClaimedSync[]> => engine<ClaimedSync[]>`
  update mailbox_syncs r
     set due_at = ${until}
    from unnest(${claims.map(claim => claim.accountId)}::uuid[], ${claims.map(claim => claim.mailboxId)}::uuid[],
                ${claims.map(claim => String(claim.epoch))}::bigint[]) held(account_id, mailbox_id, epoch)
   where r.account_id = held.account_id and r.mailbox_id = held.mailbox_id and r.epoch = held.epoch
  returning r.account_id as "accountId", r.mailbox_id as "mailboxId", r.epoch`

/**
 * Records a sync of all folders, which covers all mail that had arrived by `beganAt`. Returns false if the claim was
 * lost.
 */
export async function recordSync(
  tx: Sql,
  { mailboxId, epoch }: ClaimedSync,
  beganAt: Date,
): Promise<boolean> {
  const stored = await tx`
    update mailbox_syncs
       set status = 'syncing', status_reason = null, failures = 0, last_synced_at = ${beganAt}, updated_at = now()
     where account_id = current_account_id() and mailbox_id = ${mailboxId} and epoch = ${epoch}`
  return stored.count === 1
}

/** Releases the claim until `dueAt`. A reason marks the mailbox as failing. */
export const releaseSync = (
  tx: Sql,
  { mailboxId, epoch }: ClaimedSync,
  { dueAt, failures, reason }: { dueAt: Date; failures: number; reason: string | undefined },
) => tx`
  update mailbox_syncs
     set due_at = ${dueAt}, failures = ${failures}, status = ${reason === undefined ? 'waiting' : 'failing'},
         status_reason = ${reason ?? null}, updated_at = now()
   where account_id = current_account_id() and mailbox_id = ${mailboxId} and epoch = ${epoch}`
