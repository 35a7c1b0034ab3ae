import type { Sql } from '../../kernel/db/database.ts'

/** Longer than a provider is given to answer; of a killed worker another one takes the calls over by then. */
const LEASE_MS = 20_000

/** A call that this process alone may work on until its lease ends; work under an older epoch is void. */
export type ClaimedCall = { accountId: string; id: string; epoch: bigint }

/** Calls of all accounts that have to be placed or asked after, longest due first. Takes the pool of the engine. */
export const claimDueCalls = (
  engineSql: Sql,
  { now, limit }: { now: Date; limit: number },
): Promise<ClaimedCall[]> =>
  engineSql<ClaimedCall[]>`
    update calls c
       set lease_until = ${new Date(now.getTime() + LEASE_MS)}, epoch = c.epoch + 1
      from (select account_id, id
              from calls
             where due_at <= ${now} and (lease_until is null or lease_until <= ${now})
             order by due_at
             limit ${limit}
               for update skip locked) due
     where c.account_id = due.account_id and c.id = due.id
    returning c.account_id as "accountId", c.id, c.epoch`
