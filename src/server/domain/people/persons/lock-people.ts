import type { Context } from '../../../kernel/context.ts'

/**
 * Whoever makes persons or companies, or changes what they are found by, takes this lock first: phone numbers and
 * names are no unique keys, so that without it two requests at once could make the same person twice. Held until
 * the transaction ends.
 */
export const lockPeople = ({ sql, accountId }: Pick<Context, 'sql' | 'accountId'>) => sql`
  select pg_advisory_xact_lock(hashtextextended(${accountId}, 2))`
