import type { Sql } from '../../kernel/db/database.ts'

export const PROBLEM_CHECK_INTERVAL_MS = 60_000

/** Claims the accounts that are due for a check for problems, longest waiting first. Requires the engine's role. */
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

/** Bundles the problems that follow soon after each other, such as those of several mailboxes of one server. */
const MIN_MAIL_GAP_MS = 15 * 60_000

/** Claims an email about problems. Returns the account's name; undefined when the last email is too recent. */
export async function claimProblemMail(tx: Sql, accountId: string, now: Date): Promise<string | undefined> {
  const [account] = await tx<{ name: string }[]>`
    update accounts set problems_mailed_at = ${now}
     where id = ${accountId}
       and (problems_mailed_at is null or problems_mailed_at <= ${new Date(now.getTime() - MIN_MAIL_GAP_MS)})
 returning name`
  return account?.name
}

/** Hour of the day in the account's time zone. */
const DIGEST_HOUR = 8

/**
 * Claims the daily emails of today. Returns the account's name; undefined before 8:00 and when today's are already
 * claimed.
 */
export async function claimDigests(tx: Sql, accountId: string, now: Date): Promise<string | undefined> {
  const [account] = await tx<{ name: string }[]>`
    update accounts set digest_on = (${now}::timestamptz at time zone timezone)::date
     where id = ${accountId}
       and extract(hour from ${now}::timestamptz at time zone timezone) >= ${DIGEST_HOUR}
       and digest_on is distinct from (${now}::timestamptz at time zone timezone)::date
 returning name`
  return account?.name
}
