import type { Context } from '../../kernel/context.ts'

/**
 * Returns the two-letter country code for parsing national phone numbers; undefined when not set. Requires a
 * transaction.
 */
export async function getDefaultCountry({
  sql,
  accountId,
}: Pick<Context, 'sql' | 'accountId'>): Promise<string | undefined> {
  const [account] = await sql<{ default_country: string | null }[]>`
    select default_country from accounts where id = ${accountId}`
  return account?.default_country ?? undefined
}
