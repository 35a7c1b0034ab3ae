import type { Context } from '../../../kernel/context.ts'
import { currentAccount } from '../../../kernel/db/database.ts'

type Account = Pick<Context, 'sql' | 'accountId'>

/** Facts about a company; null when unknown. */
export type CompanyFacts = { name: string | null; domain: string | null; website: string | null }

export type CompanyRow = CompanyFacts & { id: string }

/**
 * Finds the companies with these domains, and the oldest with each name. The lateral join with a limit forces the
 * planner to probe the index for each; with row-level security an index condition can't contain a function.
 */
export const findCompanies = ({ sql }: Account, facts: readonly CompanyFacts[]) => sql<CompanyRow[]>`
  with facts as materialized (
    select domain, lower(btrim(name)) as name_key
      from jsonb_to_recordset(${sql.json([...facts])}) as f(name text, domain text)
  )
  select distinct c.id, c.name, c.domain, c.website
    from facts f
   cross join lateral (
          (select * from companies where account_id = ${currentAccount(sql)} and domain = f.domain limit 1)
           union all
          (select *
             from (select * from companies where account_id = ${currentAccount(sql)} and name_key = f.name_key limit 1000) named
            order by created_at, id
            limit 1)) c`

export const insertCompanies = ({ sql, accountId }: Account, companies: readonly CompanyRow[]) => sql`
  insert into companies (account_id, id, name, domain, website)
  select ${accountId}, id, name, domain, website
    from jsonb_to_recordset(${sql.json([...companies])}) as c(id uuid, name text, domain text, website text)`

/** Fills unknown fields; known ones are not overwritten. */
export const fillCompanies = ({ sql }: Account, companies: readonly CompanyRow[]) => sql`
  update companies c
     set name = coalesce(c.name, f.name), domain = coalesce(c.domain, f.domain),
         website = coalesce(c.website, f.website), updated_at = now()
    from jsonb_to_recordset(${sql.json([...companies])}) as f(id uuid, name text, domain text, website text)
   where c.account_id = ${currentAccount(sql)} and c.id = f.id`
