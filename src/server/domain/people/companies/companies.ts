import type { Input, Output } from '../../../../contract/index.ts'
import type { Context } from '../../../kernel/context.ts'
import type { Fragment, Sql } from '../../../kernel/db/database.ts'
import { invalid } from '../../../kernel/errors.ts'
import { findJson, type Json } from '../../../kernel/json.ts'
import { afterCursor, listPage, orderAndLimit } from '../../../kernel/page.ts'
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
  listPage(
    ctx,
    'listCompanies',
    input,
    page => ctx.sql`
      select c.id, api_time(c.created_at) as at, ${companyJson(ctx.sql)}
        from companies c
       where c.account_id = s.account_id
         ${page.filters.domain ? ctx.sql`and c.domain = ${parseDomain(page.filters.domain)}` : ctx.sql``}
         ${afterCursor(ctx.sql, page, 'c.created_at', 'c.id')}
         ${orderAndLimit(ctx.sql, page, 'c.created_at', 'c.id')}`,
  )

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
