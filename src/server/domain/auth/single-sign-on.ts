import { hash } from 'node:crypto'
import type { Input, Output } from '../../../contract/index.ts'
import { type Context, inAccount, withAccount } from '../../kernel/context.ts'
import { encrypt, signToken } from '../../kernel/crypto.ts'
import { conflict, invalid, notFound } from '../../kernel/errors.ts'
import { openDns } from '../../protocols/dns/resolver.ts'
import { asciiDomain } from '../../protocols/identity/domain.ts'
import { audit } from '../accounts/audit-log.ts'
import {
  discoverProvider,
  getRedirectUri,
  type IdentityProvider,
  toSecretContext,
} from './identity-provider.ts'

type SingleSignOn = Output<'setSingleSignOn'>

async function readSingleSignOn(ctx: Context): Promise<SingleSignOn | undefined> {
  const [found] = await ctx.sql<{ json: Omit<SingleSignOn, 'recordName' | 'recordValue'> }[]>`
    select json_strip_nulls(json_build_object(
             'id', o.account_id,
             'objectType', 'single_sign_on',
             'createdAt', api_time(o.created_at),
             'updatedAt', api_time(o.updated_at),
             'issuer', o.issuer,
             'clientId', o.client_id,
             'domain', o.domain,
             'isRequired', o.is_required,
             'newMemberRole', o.new_member_role,
             'domainVerifiedAt', api_time(o.domain_verified_at))) as json
      from ${withAccount(ctx)} cross join lateral (select * from single_sign_ons where account_id = s.account_id) o`
  return found && { ...found.json, ...toDnsRecord(ctx, found.json) }
}

/**
 * Returns the DNS record that verifies the domain. Its value depends on the account, so that no other account can use
 * it, and on the provider, so that only the owner of the domain can change the provider.
 */
const toDnsRecord = (
  { app, accountId }: Context,
  { domain, issuer, clientId }: Pick<SingleSignOn, 'domain' | 'issuer' | 'clientId'>,
) => {
  const proof = signToken(
    app.keys,
    'domain of sign-in',
    JSON.stringify([accountId, domain, issuer, clientId]),
  )
  return {
    recordName: `_overture.${domain}`,
    recordValue: `overture-account=${hash('sha256', proof, 'base64url')}`,
  }
}

export async function getSingleSignOn(
  ctx: Context,
  _input: Input<'getSingleSignOn'>,
): Promise<Output<'getSingleSignOn'>> {
  return { redirectUri: getRedirectUri(ctx.app), singleSignOn: await readSingleSignOn(ctx) }
}

export async function setSingleSignOn(
  ctx: Context,
  {
    issuer,
    clientId,
    clientSecret,
    domain: domainInput,
    isRequired = false,
    newMemberRole = null,
  }: Input<'setSingleSignOn'>,
): Promise<SingleSignOn> {
  const { sql, app, accountId } = ctx
  const domain = asciiDomain(domainInput)
  if (!domain) throw invalid('domain', 'must be a domain name: the part of your email addresses after the @')
  const [stored] = await sql<{ issuer: string; clientSecret: Uint8Array }[]>`
    select issuer, client_secret as "clientSecret"
      from single_sign_ons where account_id = ${accountId} for update`
  if (stored && stored.issuer !== issuer && !clientSecret) {
    throw invalid('clientSecret', 'is required for a different issuer')
  }
  const secret = clientSecret
    ? encrypt(app.keys, clientSecret, toSecretContext(accountId))
    : stored?.clientSecret
  if (!secret) throw invalid('clientSecret', 'is required; the provider issues it with the client ID')
  await sql`
    insert into single_sign_ons (account_id, issuer, client_id, client_secret, domain, is_required, new_member_role)
    values (${accountId}, ${issuer}, ${clientId}, ${secret}, ${domain}, ${isRequired}, ${newMemberRole})
    on conflict (account_id) do update
    set issuer = excluded.issuer, client_id = excluded.client_id, client_secret = excluded.client_secret,
        domain = excluded.domain, is_required = excluded.is_required, new_member_role = excluded.new_member_role,
        domain_verified_at = case
          when (single_sign_ons.domain, single_sign_ons.issuer, single_sign_ons.client_id)
             = (excluded.domain, excluded.issuer, excluded.client_id)
          then single_sign_ons.domain_verified_at end,
        updated_at = now()`
  await audit(ctx, 'set', 'single_sign_on', accountId)
  return (await readSingleSignOn(ctx))!
}

/** Queries DNS and the provider between two transactions, so that neither waits for an external server. */
export async function verifySingleSignOn(
  ctx: Context,
  _input: Input<'verifySingleSignOn'>,
): Promise<Output<'verifySingleSignOn'>> {
  const { app, accountId } = ctx
  const inTransaction = <T>(work: (tx: Context) => Promise<T>): Promise<T> =>
    inAccount(app.db.app, accountId, sql => work({ ...ctx, sql }))
  const [found, provider] = await inTransaction(async tx => {
    const [stored] = await tx.sql<Pick<IdentityProvider, 'issuer' | 'clientId' | 'clientSecret'>[]>`
      select issuer, client_id as "clientId", client_secret as "clientSecret"
        from single_sign_ons where account_id = ${accountId}`
    return [await readSingleSignOn(tx), stored] as const
  })
  if (!found || !provider) throw notConfigured()
  const problems = await Promise.all([findDomainProblem(ctx, found), findProviderProblem(ctx, provider)])
  await inTransaction(async tx => {
    if (problems[0]) return
    const updated = await tx.sql`
      update single_sign_ons set domain_verified_at = ${app.now()}, updated_at = now()
       where account_id = ${accountId} and domain = ${found.domain}
         and issuer = ${found.issuer} and client_id = ${found.clientId}`
    if (updated.count > 0) await audit(tx, 'prove_domain', 'single_sign_on', accountId)
  })
  const verified = await inTransaction(readSingleSignOn)
  if (!verified) throw notConfigured()
  return { ...verified, problems: problems.filter(problem => problem !== undefined) }
}

const notConfigured = () => conflict('Single sign-on is not configured. Configure it first.')

async function findDomainProblem(
  { app }: Context,
  { recordName, recordValue }: SingleSignOn,
): Promise<string | undefined> {
  using dns = openDns(app.config.dnsServers)
  const values = await dns.txt(recordName).catch((error: Error) => error)
  if (values instanceof Error) return `The DNS lookup failed: ${values.message}. Try again later.`
  return values.includes(recordValue)
    ? undefined
    : `No TXT record of ${recordName} has this value yet. DNS changes can take up to an hour to become visible.`
}

async function findProviderProblem(
  { app, accountId }: Context,
  provider: Pick<IdentityProvider, 'issuer' | 'clientId' | 'clientSecret'>,
): Promise<string | undefined> {
  try {
    await discoverProvider(app, { ...provider, accountId })
    return undefined
  } catch (error) {
    app.log.info({ err: error, accountId }, 'single sign-on: the discovery of an identity provider failed')
    const { message, cause } = error as Error
    const reason = cause instanceof Error ? cause.message : message
    return `${provider.issuer} can't be used as an identity provider: ${reason}.`
  }
}

export async function deleteSingleSignOn(
  ctx: Context,
  _input: Input<'deleteSingleSignOn'>,
): Promise<Output<'deleteSingleSignOn'>> {
  const deleted = await ctx.sql`delete from single_sign_ons where account_id = ${ctx.accountId}`
  if (deleted.count === 0) throw notFound('single sign-on configuration')
  await audit(ctx, 'delete', 'single_sign_on', ctx.accountId)
  return { ok: true }
}
