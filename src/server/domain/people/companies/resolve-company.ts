import type { Context } from '../../../kernel/context.ts'
import { pipeline } from '../../../kernel/db/database.ts'
import { invalid } from '../../../kernel/errors.ts'
import { type IndexedCompany, indexCompanies } from './company-index.ts'
import {
  type CompanyFacts,
  type CompanyRow,
  fillCompanies,
  findCompanies,
  insertCompanies,
} from './write-companies.ts'

/**
 * Returns the company with this domain or name; creates a missing company, and fills the unknown fields of an existing
 * one. Requires `lockPeople`.
 */
export async function resolveCompany(ctx: Context, facts: CompanyFacts): Promise<IndexedCompany | undefined> {
  const company = indexCompanies(await findCompanies(ctx, [facts])).resolve(facts)
  if (company?.isNew) await insertCompanies(ctx, [company])
  else if (company?.isFilled) await pipeline(fillCompanies(ctx, [company]))
  return company
}

/** Returns the company; throws ValidationError naming `companyId` when the account has none with this ID. */
export async function requireCompany({ sql, accountId }: Context, companyId: string): Promise<CompanyRow> {
  const [company] = await sql<CompanyRow[]>`
    select id, name, domain, website from companies where account_id = ${accountId} and id = ${companyId}`
  if (!company) throw invalid('companyId', 'must be the ID of a company in this account')
  return company
}
