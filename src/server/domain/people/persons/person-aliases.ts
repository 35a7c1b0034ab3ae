import type { Fragment, Sql } from '../../../kernel/db/database.ts'

const columns = { email: 'email', linkedin: 'linkedin_url', phone: 'phone' } as const

/** Selects the ids of the persons with one of these identifiers (an SQL array), their own or a merged duplicate's. */
export const selectPersonIds = (
  sql: Sql,
  kind: keyof typeof columns,
  values: Fragment,
  accountId: Fragment = sql`current_account_id()`,
): Fragment => sql`
  select id from persons where account_id = ${accountId} and ${sql.identifier(columns[kind])} = any(${values})
   union
  select person_id from person_aliases where account_id = ${accountId} and kind = ${kind} and value = any(${values})`
