import type { Context } from '../../../kernel/context.ts'

type Account = Pick<Context, 'sql' | 'accountId'>

/** What is told of a person, in canonical form; null what is not. */
export type PersonFacts = {
  firstName: string | null
  lastName: string | null
  email: string | null
  linkedinUrl: string | null
  phone: string | null
  title: string | null
  city: string | null
  state: string | null
  country: string | null
  timezone: string | null
}

export type PersonRow = PersonFacts & { id: string; companyId: string | null }

/** By what a person may be found. */
type PersonClue = Pick<PersonFacts, 'firstName' | 'lastName' | 'email' | 'linkedinUrl' | 'phone'> & {
  companyName: string | null
  companyDomain: string | null
}

/**
 * Everybody whom these clues may mean, the oldest first: by address, profile, number, or name and company. A number
 * is a clue to people whom no other address or profile sets apart; one that hundreds share is a clue to nobody.
 * Each look-up is lateral with a limit, which leaves the planner no way but to probe the index for it. The keys are
 * made beforehand, because under row-level security an index takes no condition with a function like lower in it.
 */
export const findPersons = ({ sql, accountId }: Account, clues: readonly PersonClue[]) =>
  sql<PersonRow[]>`
    with clues as materialized (
      select email, "linkedinUrl", phone, "companyDomain", lower(btrim("companyName")) as company_key,
             lower(btrim("firstName")) || ' ' || lower(btrim("lastName")) as name_key
        from jsonb_to_recordset(${sql.json([...clues])}) as k(
               "firstName" text, "lastName" text, email text, "linkedinUrl" text, phone text, "companyName" text,
               "companyDomain" text)
    )
    select distinct on (p.created_at, p.id)
           p.id, p.first_name as "firstName", p.last_name as "lastName", p.email,
           p.linkedin_url as "linkedinUrl", p.phone, p.title, p.city, p.state, p.country, p.timezone,
           p.company_id as "companyId"
      from clues k
     cross join lateral (
            (select * from persons where account_id = ${accountId} and email = k.email limit 1)
             union all
            (select * from persons where account_id = ${accountId} and linkedin_url = k."linkedinUrl" limit 1)
             union all
            (select *
               from (select * from persons where account_id = ${accountId} and phone = k.phone limit 200) sharing
              where (email is null or k.email is null) and (linkedin_url is null or k."linkedinUrl" is null)
              limit 20)
             union all
            (select named.*
               from (select * from persons where account_id = ${accountId} and name_key = k.name_key limit 1000) named
              cross join lateral (
                     select domain, name_key from companies where account_id = ${accountId} and id = company_id limit 1) c
              where c.domain = k."companyDomain" or c.name_key = k.company_key
              limit 20)) p
     order by p.created_at, p.id`

const columns = (sql: Context['sql']) => sql`
  id uuid, "firstName" text, "lastName" text, email text, "linkedinUrl" text, phone text, title text, city text,
  state text, country text, timezone text, "companyId" uuid`

export const insertPersons = ({ sql, accountId }: Account, persons: readonly PersonRow[]) => sql`
  insert into persons (account_id, id, first_name, last_name, email, linkedin_url, phone, title, city, state, country,
                       timezone, company_id)
  select ${accountId}, id, "firstName", "lastName", email, "linkedinUrl", phone, title, city, state, country,
         timezone, "companyId"
    from jsonb_to_recordset(${sql.json([...persons])}) as f(${columns(sql)})`

/** Fills what was unknown; nothing known is overwritten. */
export const fillPersons = ({ sql, accountId }: Account, persons: readonly PersonRow[]) => sql`
  update persons p
     set first_name   = coalesce(p.first_name, f."firstName"),
         last_name    = coalesce(p.last_name, f."lastName"),
         email        = coalesce(p.email, f.email),
         linkedin_url = coalesce(p.linkedin_url, f."linkedinUrl"),
         phone        = coalesce(p.phone, f.phone),
         title        = coalesce(p.title, f.title),
         city         = coalesce(p.city, f.city),
         state        = coalesce(p.state, f.state),
         country      = coalesce(p.country, f.country),
         timezone     = coalesce(p.timezone, f.timezone),
         company_id   = coalesce(p.company_id, f."companyId"),
         updated_at   = now()
    from jsonb_to_recordset(${sql.json([...persons])}) as f(${columns(sql)})
   where p.account_id = ${accountId} and p.id = f.id`
