import type { Sql } from '../../kernel/db/database.ts'

/** A claim on a running export; a worker with an older epoch has lost it and stops. */
export type ClaimedExport = { accountId: string; exportId: string; epoch: bigint }

/** Claims running exports of all accounts, longest waiting first. Requires the engine's role. */
export const claimExports = (
  engine: Sql,
  { now, limit, leaseMs }: { now: Date; limit: number; leaseMs: number },
): Promise<ClaimedExport[]> => engine<ClaimedExport[]>`
  with due as (
    select account_id, id
      from exports
     where status = 'running' and expires_at > ${now} and (lease_until is null or lease_until <= ${now})
     order by coalesce(lease_until, created_at)
     limit ${limit}
       for update skip locked)
  update exports e
     set lease_until = ${new Date(now.getTime() + leaseMs)}, epoch = e.epoch + 1
    from due
   where e.account_id = due.account_id and e.id = due.id
  returning e.account_id as "accountId", e.id as "exportId", e.epoch`
