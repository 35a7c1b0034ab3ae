import type { Sql } from '../../kernel/db/database.ts'
import { isSendingPaused } from '../accounts/sending.ts'

/** Must be longer than the provider timeout. The calls of a killed worker are taken over after this time. */
const LEASE_MS = 20_000

/** A claim on one call. A worker with an older epoch has lost the claim and stops. */
export type ClaimedCall = { accountId: string; id: string; epoch: bigint }

/** Claims calls of all accounts that are due to be placed or polled, longest due first. Requires the engine’s role. */
export const claimDueCalls = (
  engineSql: Sql,
  { now, limit }: { now: Date; limit: number },
): Promise<ClaimedCall[]> =>
  engineSql<ClaimedCall[]>`
    update calls c
       set lease_until = ${new Date(now.getTime() + LEASE_MS)}, epoch = c.epoch + 1
      from (select account_id, id
              from calls q
             where due_at <= ${now} and (lease_until is null or lease_until <= ${now})
               and not (status = 'queued' and ${isSendingPaused(engineSql, engineSql`q`)})
             order by due_at
             limit ${limit}
               for update skip locked) due
     where c.account_id = due.account_id and c.id = due.id
    returning c.account_id as "accountId", c.id, c.epoch`
