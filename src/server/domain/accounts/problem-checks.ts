import type { Sql } from '../../kernel/db/database.ts'

export const PROBLEM_CHECK_INTERVAL_MS = 60_000

/** Claims the accounts that are due for a problem check, longest waiting first. Requires the engine's role. */
export const claimProblemChecks = (
  engine: Sql,
  { now, limit }: { now: Date; limit: number },
): Promise<{ accountId: string }[]> => engine<{ accountId: string }[]>`
  with due as (
    select id
      from accounts
     where problems_due_at <= ${now}
     order by problems_due_at
     limit ${limit}
       for no key update skip locked)
  update accounts a
     set problems_due_at = ${new Date(now.getTime() + PROBLEM_CHECK_INTERVAL_MS)}
    from due
   where a.id = due.id
  returning a.id as "accountId"`
