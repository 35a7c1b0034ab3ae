import type { Context } from '../../../kernel/context.ts'

/**
 * Locks the account's persons and companies until the transaction ends. Required before creating them or changing
 * fields used to find them: phone numbers and names aren't unique keys, so concurrent requests could otherwise create
 * the same person twice.
 */
export const lockPeople = ({ sql, accountId }: Pick<Context, 'sql' | 'accountId'>) => sql`
  select pg_advisory_xact_lock(hashtextextended(${accountId}, 2))`
