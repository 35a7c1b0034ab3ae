import type { PersonField } from '../../../../contract/person-fields.ts'
import type { Context } from '../../../kernel/context.ts'
import { currentAccount } from '../../../kernel/db/database.ts'
import { personColumns } from './person-columns.ts'

type Account = Pick<Context, 'sql' | 'accountId'>

/** Facts about a person in canonical form; null when unknown. */
export type PersonFacts = Record<PersonField, string | null>

/** Another identifier of a person, from a merged duplicate or from before an opt-out. */
export type Alias = { kind: 'email' | 'linkedin' | 'phone'; value: string }

export type PersonRow = PersonFacts & { id: string; companyId: string | null; aliases?: Alias[] }

/** The fields used to find a person. */
type PersonCriteria = Pick<PersonFacts, 'firstName' | 'lastName' | 'email' | 'linkedinUrl' | 'phone'> & {
  companyName: string | null
  companyDomain: string | null
}

/**
 * Finds everyone who may match these criteria, oldest first: by email, profile, phone number, or name and company. A
 * number matches only persons without a different email or profile, and at most 200 persons who share it are
 * considered. The lateral joins with a limit force the planner to probe the indexes. The keys are computed beforehand,
 * because with row-level security an index condition can't contain a function such as lower.
 */
export const findPersons = ({ sql }: Account, criteria: readonly PersonCriteria[]) =>
  sql<PersonRow[]>`
    with criteria as materialized (
      select email, "linkedinUrl", phone, "companyDomain", lower(btrim("companyName")) as company_key,
             lower(btrim("firstName")) || ' ' || lower(btrim("lastName")) as name_key
        from jsonb_to_recordset(${sql.json([...criteria])}) as k(
               "firstName" text, "lastName" text, email text, "linkedinUrl" text, phone text, "companyName" text,
               "companyDomain" text)
    )
    select distinct on (p.created_at, p.id)
           p.id, ${sql.unsafe(personColumns.selected)}, p.company_id as "companyId",
           (select coalesce(json_agg(json_build_object('kind', kind, 'value', value)), '[]')
              from person_aliases where account_id = ${currentAccount(sql)} and person_id = p.id) as aliases
      from criteria k
     cross join lateral (
            (select * from persons where account_id = ${currentAccount(sql)} and email = k.email limit 1)
             union all
            (select * from persons where account_id = ${currentAccount(sql)} and linkedin_url = k."linkedinUrl" limit 1)
             union all
            (select merged.*
               from (values ('email', k.email), ('linkedin', k."linkedinUrl"), ('phone', k.phone)) known(kind, value)
              cross join lateral (
                     select person_id from person_aliases
                      where account_id = ${currentAccount(sql)} and kind = known.kind and value = known.value limit 20) a
              cross join lateral (select * from persons where account_id = ${currentAccount(sql)} and id = a.person_id limit 1) merged)
             union all
            (select *
               from (select * from persons where account_id = ${currentAccount(sql)} and phone = k.phone limit 200) sharing
              where (email is null or k.email is null) and (linkedin_url is null or k."linkedinUrl" is null)
              limit 20)
             union all
            (select named.*
               from (select * from persons where account_id = ${currentAccount(sql)} and name_key = k.name_key limit 1000) named
              cross join lateral (
                     select domain, name_key from companies where account_id = ${currentAccount(sql)} and id = company_id limit 1) c
              where c.domain = k."companyDomain" or c.name_key = k.company_key
              limit 20)) p
     order by p.created_at, p.id`

const records = ({ sql }: Account, persons: readonly PersonRow[]) => sql`
  jsonb_to_recordset(${sql.json([...persons])}) as f(
    id uuid, ${sql.unsafe(personColumns.definitions)}, "companyId" uuid)`

export const insertPersons = (account: Account, persons: readonly PersonRow[]) => {
  const { sql, accountId } = account
  return sql`
    insert into persons (account_id, id, ${sql.unsafe(personColumns.names)}, company_id, search_text)
    select ${accountId}, id, ${sql.unsafe(personColumns.values)}, "companyId",
           person_search_text("firstName", "lastName", email, phone, company, null)
      from ${records(account, persons)}
      left join lateral (
             select name as company from companies where account_id = ${currentAccount(sql)} and id = f."companyId" limit 1) c on true`
}

/** Fills unknown fields; known ones are not overwritten. */
export const fillPersons = (account: Account, persons: readonly PersonRow[]) => {
  const { sql } = account
  return sql`
    update persons p
       set ${sql.unsafe(personColumns.filled)},
           company_id = coalesce(p.company_id, f."companyId"),
           updated_at = now()
      from ${records(account, persons)}
     where p.account_id = ${currentAccount(sql)} and p.id = f.id`
}
