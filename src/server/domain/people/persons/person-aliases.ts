import type { Fragment, Sql } from '../../../kernel/db/database.ts'
import { hashIdentifier, type OptOutList } from '../opt-outs/erased-identifiers.ts'
import { unnestBlockingKinds } from '../opt-outs/find-opt-outs.ts'

const columns = { email: 'email', linkedin: 'linkedin_url', phone: 'phone' } as const

/** Selects the IDs of the persons with one of these identifiers (an SQL array), their own or an alias. */
export const selectPersonIds = (
  sql: Sql,
  kind: keyof typeof columns,
  values: Fragment,
  accountId: Fragment = sql`current_account_id()`,
): Fragment => sql`
  select id from persons where account_id = ${accountId} and ${sql.identifier(columns[kind])} = any(${values})
   union
  select person_id from person_aliases where account_id = ${accountId} and kind = ${kind} and value = any(${values})`

/**
 * Keeps the identifiers that are about to change as aliases if they are on the Do Not Contact list, because the person
 * stays opted out. Bounced addresses are not kept, because a corrected address may be contacted.
 */
export async function keepOptedOutIdentifiers(
  { sql, accountId, app }: OptOutList,
  personId: string,
  changes: Readonly<Record<string, string | null>>,
): Promise<void> {
  const changed = Object.fromEntries(
    Object.entries(columns).flatMap(([kind, column]) =>
      changes[column] === undefined ? [] : [[kind, changes[column]]],
    ),
  )
  if (Object.keys(changed).length === 0) return
  const hash = hashIdentifier(sql, app, {
    accountId: sql`${accountId}::uuid`,
    kind: sql`listed.kind`,
    value: sql`i.value`,
  })
  await sql`
    insert into person_aliases (account_id, kind, value, person_id, duplicate_id)
    select ${accountId}, replaced.kind, replaced.value, ${personId}, ${personId}
      from (select i.kind, i.value, listed.kind as listed_kind, ${hash} as hash
              from persons p
             cross join lateral (values ('email', p.email), ('linkedin', p.linkedin_url), ('phone', p.phone)) i(kind, value)
              join jsonb_each_text(${sql.json(changed)}) next on next.key = i.kind and next.value is distinct from i.value
             cross join lateral ${sql.unsafe(unnestBlockingKinds('i.kind'))} listed(kind)
             where p.account_id = ${accountId} and p.id = ${personId} and i.value is not null
            offset 0) replaced
     where exists (select from opt_outs
                    where account_id = ${accountId} and kind = replaced.listed_kind
                      and value in (replaced.value, replaced.hash) and source <> 'bounce')
    on conflict do nothing`
}
