import type { Context } from '../../kernel/context.ts'

/** The country (two letters) as of which the account's national phone numbers are read. Needs a transaction. */
export async function defaultCountryOf({
  sql,
  accountId,
}: Pick<Context, 'sql' | 'accountId'>): Promise<string | undefined> {
  const [account] = await sql<{ default_country: string | null }[]>`
    select default_country from accounts where id = ${accountId}`
  return account?.default_country ?? undefined
}
