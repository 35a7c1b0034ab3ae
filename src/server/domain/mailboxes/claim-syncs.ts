import type { Sql } from '../../kernel/db/database.ts'

/** A claim on the reading of one mailbox; who reads under an older epoch stops. */
export type ClaimedReading = { accountId: string; mailboxId: string; epoch: bigint }

/** Mailboxes that nobody reads, over all accounts, the longest waiting first, claimed for `leaseMs`. Needs the engine's role. */
export const claimReadings = (
  engine: Sql,
  { now, limit, leaseMs }: { now: Date; limit: number; leaseMs: number },
): Promise<ClaimedReading[]> => engine<ClaimedReading[]>`
  with due as (
    select account_id, mailbox_id
      from mailbox_readings
     where due_at <= ${now}
     order by due_at
     limit ${limit}
       for update skip locked)
  update mailbox_readings r
     set due_at = ${new Date(now.getTime() + leaseMs)}, epoch = r.epoch + 1
    from due d
   where r.account_id = d.account_id and r.mailbox_id = d.mailbox_id
  returning r.account_id as "accountId", r.mailbox_id as "mailboxId", r.epoch`

/** Whether a mailbox waits for somebody to read it. Needs the engine's role. */
export async function isReadingDue(engine: Sql, now: Date): Promise<boolean> {
  const [due] = await engine`select from mailbox_readings where due_at <= ${now} limit 1`
  return due !== undefined
}

/** Their reader lives: the leases last until then. Gives back the claims that still hold. Needs the engine's role. */
export const renewReadings = (
  engine: Sql,
  claims: readonly ClaimedReading[],
  until: Date,
): Promise<ClaimedReading[]> => engine<ClaimedReading[]>`
  update mailbox_readings r
     set due_at = ${until}
    from unnest(${claims.map(claim => claim.accountId)}::uuid[], ${claims.map(claim => claim.mailboxId)}::uuid[],
                ${claims.map(claim => String(claim.epoch))}::bigint[]) held(account_id, mailbox_id, epoch)
   where r.account_id = held.account_id and r.mailbox_id = held.mailbox_id and r.epoch = held.epoch
  returning r.account_id as "accountId", r.mailbox_id as "mailboxId", r.epoch`

/** A look saw every folder: what had arrived when it began is known. False when the claim is void. */
export async function storeLook(
  tx: Sql,
  { mailboxId, epoch }: ClaimedReading,
  beganAt: Date,
): Promise<boolean> {
  const stored = await tx`
    update mailbox_readings
       set status = 'reading', status_reason = null, failures = 0, last_read_at = ${beganAt}, updated_at = now()
     where account_id = current_account_id() and mailbox_id = ${mailboxId} and epoch = ${epoch}`
  return stored.count === 1
}

/** Gives the claim back, with what is to be told of the mailbox until somebody reads it again. */
export const releaseReading = (
  tx: Sql,
  { mailboxId, epoch }: ClaimedReading,
  { dueAt, failures, reason }: { dueAt: Date; failures: number; reason: string | undefined },
) => tx`
  update mailbox_readings
     set due_at = ${dueAt}, failures = ${failures}, status = ${reason === undefined ? 'waiting' : 'failing'},
         status_reason = ${reason ?? null}, updated_at = now()
   where account_id = current_account_id() and mailbox_id = ${mailboxId} and epoch = ${epoch}`
