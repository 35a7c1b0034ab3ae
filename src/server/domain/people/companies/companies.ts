import type { Input, Output } from '../../../../contract/index.ts'
import type { Context } from '../../../kernel/context.ts'
import type { Fragment, Sql } from '../../../kernel/db/database.ts'
import { invalid } from '../../../kernel/errors.ts'
import { findJson, type Json } from '../../../kernel/json.ts'
import { afterCursor, isUpdatedSince, listPage, orderAndLimit } from '../../../kernel/page.ts'
import { canonicalDomain } from '../../../protocols/identity/domain.ts'

const companyJson = (sql: Sql): Fragment => sql`
  json_build_object(
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
    'country', c.country)::text as json`

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
         ${domain ? sql`and c.domain = ${parseDomain(domain)}` : sql``}
         ${isUpdatedSince(sql, page, at)}
         ${afterCursor(sql, page, at, 'c.id')}
         ${orderAndLimit(sql, page, at, 'c.id')}`
  })

export const getCompany = (
  ctx: Context,
  { companyId }: Input<'getCompany'>,
): Promise<Json<Output<'getCompany'>>> =>
  findJson(
    ctx,
    'company',
    ctx.sql`
      select ${companyJson(ctx.sql)} from companies c where c.account_id = s.account_id and c.id = ${companyId}`,
  )

function parseDomain(text: string): string {
  const domain = canonicalDomain(text)
  if (!domain) throw invalid('domain', 'must be a valid domain name')
  return domain
}
