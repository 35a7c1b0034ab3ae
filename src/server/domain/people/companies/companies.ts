import { randomUUIDv7 } from 'node:crypto'
import type { Input, Output } from '../../../../contract/index.ts'
import type { Context } from '../../../kernel/context.ts'
import type { Fragment, Sql } from '../../../kernel/db/database.ts'
import {
  alreadyExists,
  conflict,
  type ErrorDetail,
  invalid,
  invalidAll,
  notFound,
} from '../../../kernel/errors.ts'
import { findJson, type Json } from '../../../kernel/json.ts'
import { afterCursor, isUpdatedSince, listPage, orderAndLimit } from '../../../kernel/page.ts'
import { canonicalDomain, toBusinessDomain } from '../../../protocols/identity/domain.ts'
import { toOneLine } from '../../../protocols/identity/text.ts'
import { audit } from '../../accounts/audit-log.ts'
import { parseCustomValues } from '../custom-fields/custom-values.ts'
import { lockPeople } from './lock-people.ts'
import { parseWebsite } from './parse-website.ts'
import { findCompanies } from './write-companies.ts'

type Company = Output<'getCompany'>

const companyJson = (sql: Sql): Fragment => sql`
  (jsonb_build_object(
    'id', c.id,
    'objectType', 'company',
    'createdAt', api_time(c.created_at),
    'updatedAt', api_time(c.updated_at),
    'industries', c.industries,
    'name', c.name,
    'website', c.website,
    'domain', c.domain,
    'logoUrl', c.logo_url,
    'city', c.city,
    'state', c.state,
    'country', c.country)
   || jsonb_strip_nulls(jsonb_build_object('custom', nullif(c.custom, '{}'))))::text as json`

export const listCompanies = (
  ctx: Context,
  input: Input<'listCompanies'>,
): Promise<Json<Output<'listCompanies'>>> =>
  listPage(ctx, 'listCompanies', input, page => {
    const { sql } = ctx
    const { domain, updatedSince } = page.filters
    const at = updatedSince ? 'c.updated_at' : 'c.created_at'
    return sql`
      select c.id, api_time(${sql.identifier(at)}) as at, ${companyJson(sql)}
        from companies c
       where c.account_id = s.account_id
         ${domain ? sql`and c.domain = ${requireDomain(domain)}` : sql``}
         ${isUpdatedSince(sql, page, at)}
         ${afterCursor(sql, page, at, 'c.id')}
         ${orderAndLimit(sql, page, at, 'c.id')}`
  })

function requireDomain(text: string): string {
  const domain = canonicalDomain(text)
  if (!domain) throw invalid('domain', 'must be a valid domain name')
  return domain
}

export const getCompany = (ctx: Context, { companyId }: Input<'getCompany'>): Promise<Json<Company>> =>
  findJson(
    ctx,
    'company',
    ctx.sql`
      select ${companyJson(ctx.sql)} from companies c where c.account_id = s.account_id and c.id = ${companyId}`,
  )

export async function createCompany(
  ctx: Context,
  { custom, ...fields }: Input<'createCompany'>,
): Promise<Json<Company>> {
  const { sql, accountId } = ctx
  const columns = parseColumns(fields)
  const values = await parseCustomValues(ctx, 'company', custom)
  await lockPeople(ctx)
  const { name, domain = null } = columns
  const same = await findCompanies(ctx, [{ name: name!, domain, website: null }])
  const existing = same.find(other => !other.domain || !domain || other.domain === domain)
  if (existing) throw alreadyExists('company', 'companyId', existing.id)
  const companyId = randomUUIDv7()
  const row = { account_id: accountId, id: companyId, ...columns, custom: sql.json(values ?? {}) }
  await sql`insert into companies ${sql.rows(row)}`
  await audit(ctx, 'create', 'company', companyId)
  return getCompany(ctx, { companyId })
}

/** Effects on the prospects at the company. Higher-level modules implement them; `handlers.ts` passes them in. */
type CompanyEffects = {
  /** Retries prospects that failed because a value was missing. */
  retryIncompleteAtCompanies: (ctx: Context, companyIds: readonly string[]) => Promise<void>
  /** Throws if an application changes people whom a campaign may call. */
  forbidAppChangedCallees: (ctx: Context, at: { companyIds: readonly string[] }) => Promise<void>
}

/** Updates the given fields; null clears a field. */
export async function updateCompany(
  ctx: Context,
  { companyId, custom, ...fields }: Input<'updateCompany'>,
  effects: CompanyEffects,
): Promise<Json<Company>> {
  const { sql, accountId } = ctx
  const columns = parseColumns(fields)
  const values = await parseCustomValues(ctx, 'company', custom)
  await effects.forbidAppChangedCallees(ctx, { companyIds: [companyId] })
  await lockPeople(ctx)
  const { domain } = columns
  const [other] = await sql<{ id: string }[]>`
    select id from companies
     where account_id = ${accountId} and domain = ${domain ?? null} and id <> ${companyId}`
  if (other) throw conflict(`The company with the ID ${other.id} already has the domain ${domain}.`)
  const { count } = await sql`
    update companies
       set custom = jsonb_strip_nulls(custom || ${sql.json(values ?? {})}), updated_at = now()
           ${Object.keys(columns).length > 0 ? sql`, ${sql.assignments(columns)}` : sql``}
     where account_id = ${accountId} and id = ${companyId}`
  if (count === 0) throw notFound('company')
  await effects.retryIncompleteAtCompanies(ctx, [companyId])
  await audit(ctx, 'update', 'company', companyId)
  return getCompany(ctx, { companyId })
}

type Columns = { name?: string; domain?: string | null; industries?: string[] }
type Fields = Omit<Input<'updateCompany'>, 'companyId' | 'custom'>

/** Returns the columns of the given fields, in canonical form. */
function parseColumns({ domain, website, industries, ...texts }: Fields) {
  const errors: ErrorDetail[] = []
  const parse = (path: string, given: string | null | undefined, value: string | null, message: string) => {
    if (given === undefined) return {}
    if (given && !value) errors.push({ path, message })
    return { [path]: value }
  }
  const columns: Columns = {
    ...Object.fromEntries(
      Object.entries(texts).flatMap(([name, text]) => (text === undefined ? [] : [[name, toOneLine(text)]])),
    ),
    ...parse(
      'domain',
      domain,
      (domain && toBusinessDomain(domain)) || null,
      'must be the domain of a company, such as acme.example',
    ),
    ...parse('website', website, parseWebsite(website), 'must be an http or https URL'),
    ...(industries && { industries: industries.flatMap(text => toOneLine(text) ?? []) }),
  }
  if (errors.length > 0) throw invalidAll(errors)
  return columns
}

/** Deletes all companies' values of a custom field. */
export const deleteCompanyValues = ({ sql, accountId }: Context, key: string) => sql`
  update companies set custom = custom - ${key}::text, updated_at = now()
   where account_id = ${accountId} and custom ? ${key}::text`
