import { randomUUIDv7 } from 'node:crypto'
import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { conflict, invalid, notFound } from '../../kernel/errors.ts'
import { findJson, type Json } from '../../kernel/json.ts'
import { afterCursor, listPage, orderAndLimit } from '../../kernel/page.ts'
import { canonicalDomain } from '../../protocols/identity/domain.ts'
import { audit } from '../accounts/audit-log.ts'

const domainJson = (sql: Sql): Fragment => sql`
  json_strip_nulls(json_build_object(
    'id', d.id,
    'objectType', 'domain',
    'createdAt', api_time(d.created_at),
    'updatedAt', api_time(d.updated_at),
    'domain', d.domain,
    'checkedAt', api_time(d.checked_at),
    'checks', d.checks,
    'dkimKeys', (
      select coalesce(json_agg(json_build_object(
               'id', k.id,
               'createdAt', api_time(k.created_at),
               'selector', k.selector,
               'status', k.status,
               'recordName', k.selector || '._domainkey.' || d.domain,
               'recordValue', 'v=DKIM1; k=rsa; p=' || k.public_key) order by k.created_at desc, k.id desc), '[]')
        from dkim_keys k
       where k.account_id = d.account_id and k.domain_id = d.id)))::text as json`

export const listDomains = (
  ctx: Context,
  input: Input<'listDomains'>,
): Promise<Json<Output<'listDomains'>>> =>
  listPage(
    ctx,
    'listDomains',
    input,
    page => ctx.sql`
      select d.id, api_time(d.created_at) as at, ${domainJson(ctx.sql)}
        from domains d
       where d.account_id = s.account_id
         ${afterCursor(ctx.sql, page, 'd.created_at', 'd.id')}
         ${orderAndLimit(ctx.sql, page, 'd.created_at', 'd.id')}`,
  )

export const getDomain = (
  ctx: Context,
  { domainId }: Input<'getDomain'>,
): Promise<Json<Output<'getDomain'>>> =>
  findJson(
    ctx,
    'domain',
    ctx.sql`
      select ${domainJson(ctx.sql)}
        from domains d
       where d.account_id = s.account_id and d.id = ${domainId}`,
  )

export async function createDomain(
  ctx: Context,
  input: Input<'createDomain'>,
): Promise<Json<Output<'createDomain'>>> {
  const domain = canonicalDomain(input.domain)
  if (!domain) throw invalid('domain', 'must be a valid domain name')
  const domainId = await addDomain(ctx, domain)
  if (!domainId) throw conflict(`The domain ${domain} already exists.`)
  await audit(ctx, 'create', 'domain', domainId)
  return getDomain(ctx, { domainId })
}

/** Returns the ID of the new domain; undefined if it already existed. */
export async function addDomain(ctx: Context, domain: string): Promise<string | undefined> {
  const [added] = await ctx.sql<{ id: string }[]>`
    insert into domains (account_id, id, domain) values (${ctx.accountId}, ${randomUUIDv7()}, ${domain})
    on conflict (account_id, domain) do nothing
    returning id`
  return added?.id
}

export async function deleteDomain(
  ctx: Context,
  { domainId }: Input<'deleteDomain'>,
): Promise<Output<'deleteDomain'>> {
  const deleted = await ctx.sql`
    delete from domains where account_id = ${ctx.accountId} and id = ${domainId}`
  if (deleted.count === 0) throw notFound('domain')
  await audit(ctx, 'delete', 'domain', domainId)
  return { ok: true }
}
