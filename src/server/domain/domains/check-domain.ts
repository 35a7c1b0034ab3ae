import type { z } from 'zod'
import type { domainCheck } from '../../../contract/domains.ts'
import type { Input, Output } from '../../../contract/index.ts'
import { type Context, inAccount } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { notFound } from '../../kernel/errors.ts'
import type { Json } from '../../kernel/json.ts'
import { checkDns, type PublishedKey } from '../../protocols/dns/check-dns.ts'
import { openDns } from '../../protocols/dns/resolver.ts'
import { audit } from '../accounts/audit-log.ts'
import { startSigning } from './dkim-keys.ts'
import { getDomain } from './domains.ts'

type StoredDomain = { domain: string; keys: (PublishedKey & { id: string; status: 'waiting' | 'signing' })[] }

/** Queries DNS between two transactions, so that neither waits for an external server. */
export async function checkDomain(
  ctx: Context,
  { domainId }: Input<'checkDomain'>,
): Promise<Json<Output<'checkDomain'>>> {
  const inTransaction = <T>(work: (tx: Context) => Promise<T>): Promise<T> =>
    inAccount(ctx.app.db.app, ctx.accountId, sql => work({ ...ctx, sql }))
  const found = await inTransaction(tx => findDomain(tx.sql, domainId))
  if (!found) throw notFound('domain')
  using dns = openDns(ctx.app.config.dnsServers)
  const { checks, seenSelectors } = await checkDns(dns, found.domain, found.keys)
  const published = found.keys.find(
    ({ status, selector }) => status === 'waiting' && seenSelectors.includes(selector),
  )
  await inTransaction(async tx => {
    await storeChecks(tx, domainId, checks)
    if (published) await startSigning(tx, domainId, published.id)
    await audit(tx, 'check', 'domain', domainId)
  })
  return getDomain(ctx, { domainId })
}

async function findDomain(tx: Sql, domainId: string): Promise<StoredDomain | undefined> {
  const [found] = await tx<StoredDomain[]>`
    select d.domain,
           (select coalesce(json_agg(json_build_object(
                     'id', k.id, 'selector', k.selector, 'publicKey', k.public_key, 'status', k.status)), '[]')
              from dkim_keys k
             where k.account_id = d.account_id and k.domain_id = d.id and k.status <> 'retired') as keys
      from domains d
     where d.account_id = current_account_id() and d.id = ${domainId}`
  return found
}

async function storeChecks(
  { sql, accountId, app }: Context,
  domainId: string,
  checks: z.output<typeof domainCheck>[],
): Promise<void> {
  const stored = await sql`
    update domains
       set checks = ${sql.json(checks)}, checked_at = ${app.now()}, updated_at = now()
     where account_id = ${accountId} and id = ${domainId}`
  if (stored.count === 0) throw notFound('domain')
}
