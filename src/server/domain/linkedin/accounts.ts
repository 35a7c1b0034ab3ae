import { randomBytes, randomUUIDv7 } from 'node:crypto'
import type { Input, Output } from '../../../contract/index.ts'
import { getPublicUrl } from '../../kernel/config.ts'
import { type Context, ownRepsOnly } from '../../kernel/context.ts'
import { decrypt, encrypt, type Keys, signToken, verifyToken } from '../../kernel/crypto.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { jsonObject, timestamp, uuid } from '../../kernel/db/json-object.ts'
import { conflict, invalid, notFound } from '../../kernel/errors.ts'
import { findJson, Json } from '../../kernel/json.ts'
import { parseOutboundUrl } from '../../kernel/net/outbound-url.ts'
import { afterCursor, listPage, orderAndLimit } from '../../kernel/page.ts'
import { audit } from '../accounts/audit-log.ts'
import { isInScope } from '../accounts/permission-scope.ts'
import { clearChatIds } from '../messages/write-linkedin-messages.ts'
import { setTaskReason } from '../tasks/write-tasks.ts'
import { adoptLinkedinSends, withdrawLinkedinSends } from './sends.ts'

const accountJson = (sql: Sql): Fragment => sql`
  ${jsonObject({
    id: uuid('l.id'),
    objectType: 'linkedin_account',
    createdAt: timestamp('l.created_at'),
    updatedAt: timestamp('l.updated_at'),
    repId: uuid('l.rep_id'),
    provider: sql`l.provider`,
    baseUrl: sql`l.base_url`,
    providerAccountId: sql`l.provider_account_id`,
    status: sql`l.status`,
    statusReason: sql`l.status_reason`,
  })} as json`

export const listLinkedinAccounts = (
  ctx: Context,
  input: Input<'listLinkedinAccounts'>,
): Promise<Json<Output<'listLinkedinAccounts'>>> =>
  listPage(
    ctx,
    'listLinkedinAccounts',
    input,
    page => ctx.sql`
      select l.id, api_time(l.created_at) as at, ${accountJson(ctx.sql)}
        from linkedin_accounts l
       where l.account_id = s.account_id ${ownRepsOnly(ctx, 'Rep.ReadRep', ctx.sql`l.rep_id`)}
         ${afterCursor(ctx.sql, page, 'l.created_at', 'l.id')}
         ${orderAndLimit(ctx.sql, page, 'l.created_at', 'l.id')}`,
  )

export async function createLinkedinAccount(
  ctx: Context,
  { repId, provider, baseUrl, apiKey, providerAccountId }: Input<'createLinkedinAccount'>,
): Promise<Json<Output<'createLinkedinAccount'>>> {
  const { sql, accountId, app } = ctx
  const [rep] = await sql`
    select from reps e
     where account_id = ${accountId} and id = ${repId} and ${isInScope(ctx, 'Rep.EditRep', sql`e.id`)}`
  if (!rep) throw invalid('repId', 'must be the ID of one of your reps')
  const id = randomUUIDv7()
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  const url = baseUrl ? parseOutboundUrl('baseUrl', baseUrl, app.config.privateHosts) : null
  const created = await sql`
    insert into linkedin_accounts (account_id, id, rep_id, provider, secret, base_url, provider_account_id, api_key)
    values (${accountId}, ${id}, ${repId}, ${provider}, ${encrypt(app.keys, secret, toSecretContext(accountId, id, 'secret'))},
            ${url}, ${providerAccountId ?? null},
            ${apiKey ? encrypt(app.keys, apiKey, toSecretContext(accountId, id, 'api key')) : null})
    on conflict (account_id, rep_id, provider) do nothing`
  if (created.count === 0)
    throw conflict(`This rep is already connected through ${provider}. Disconnect that account first.`)
  if (provider === 'unipile') {
    await adoptLinkedinSends(sql, { id, repId }, app.now())
    await clearChatIds(sql, repId)
  }
  await audit(ctx, 'create', 'linkedin_account', id)
  const json = await getLinkedinAccount(ctx, id)
  const key = signToken(app.keys, PURPOSE, `${accountId} ${id}`)
  const shownOnce = { inboundUrl: `${getPublicUrl(app.config)}/v1/inbound/linkedin/${key}`, secret }
  return new Json(`${json.text.slice(0, -1)},${JSON.stringify(shownOnce).slice(1)}`)
}

export async function updateLinkedinAccount(
  ctx: Context,
  { linkedinAccountId: id, ...change }: Input<'updateLinkedinAccount'>,
): Promise<Json<Output<'updateLinkedinAccount'>>> {
  const { sql, accountId, app } = ctx
  const { provider, repId, ...stored } = await lockLinkedinAccount(ctx, id)
  const [changedField] = Object.entries(change).flatMap(([field, value]) =>
    value === undefined ? [] : field,
  )
  if (changedField && provider !== 'unipile') throw invalid(changedField, 'is only allowed for unipile')
  const { baseUrl, apiKey, providerAccountId = stored.providerAccountId } = change
  const url = baseUrl ? parseOutboundUrl('baseUrl', baseUrl, app.config.privateHosts) : stored.baseUrl
  const isOtherAccount = providerAccountId !== stored.providerAccountId
  // Otherwise anyone who may change an account could have the stored key sent to a server of their own, or write as a
  // colleague.
  if (changedField && !apiKey && (isOtherAccount || getOrigin(url) !== getOrigin(stored.baseUrl)))
    throw invalid('apiKey', 'is required for a different baseUrl or providerAccountId')
  const key = apiKey ? encrypt(app.keys, apiKey, toSecretContext(accountId, id, 'api key')) : null
  if (changedField)
    await sql`
      update linkedin_accounts
         set base_url            = ${url},
             api_key             = coalesce(${key}, api_key),
             member_id           = case when ${isOtherAccount} then null else member_id end,
             provider_account_id = ${providerAccountId},
             status              = 'waiting',
             status_reason       = null,
             updated_at          = now()
       where account_id = ${accountId} and id = ${id}`
  if (isOtherAccount) await clearChatIds(sql, repId)
  await audit(ctx, 'update', 'linkedin_account', id)
  return getLinkedinAccount(ctx, id)
}

const getOrigin = (url: string | null): string => new URL(url!).origin

/** Disconnects the account. Locks its sends first, in the same order as the engine. */
export async function deleteLinkedinAccount(
  ctx: Context,
  { linkedinAccountId: id }: Input<'deleteLinkedinAccount'>,
): Promise<Output<'deleteLinkedinAccount'>> {
  const { sql, accountId } = ctx
  const taskIds = await withdrawLinkedinSends(sql, id)
  await lockLinkedinAccount(ctx, id)
  if (!taskIds)
    throw conflict('A message or invitation is being sent through this account. Try again in a minute.')
  await setTaskReason(
    sql,
    taskIds,
    "The rep's LinkedIn account was disconnected. Complete this task yourself, or skip it.",
  )
  await sql`delete from linkedin_accounts where account_id = ${accountId} and id = ${id}`
  await audit(ctx, 'delete', 'linkedin_account', id)
  return { ok: true }
}

const getLinkedinAccount = (ctx: Context, id: string): Promise<Json<Output<'updateLinkedinAccount'>>> =>
  findJson(
    ctx,
    'LinkedIn account',
    ctx.sql`select ${accountJson(ctx.sql)} from linkedin_accounts l where l.account_id = s.account_id and l.id = ${id}`,
  )

type StoredAccount = Pick<ConnectedAccount, 'provider' | 'repId' | 'baseUrl' | 'providerAccountId'>

/** Locks the account; throws when the caller may not change it. */
async function lockLinkedinAccount(ctx: Context, id: string): Promise<StoredAccount> {
  const { sql, accountId } = ctx
  const [account] = await sql<StoredAccount[]>`
    select provider, rep_id as "repId", base_url as "baseUrl", provider_account_id as "providerAccountId"
      from linkedin_accounts l
     where account_id = ${accountId} and id = ${id} and ${isInScope(ctx, 'Rep.EditRep', sql`l.rep_id`)}
       for update`
  if (!account) throw notFound('LinkedIn account')
  return account
}

const PURPOSE = 'inbound linkedin v1'
const toSecretContext = (accountId: string, id: string, name: string) =>
  `${accountId} linkedin account ${id} ${name}`

/** Returns the account that an inbound key belongs to; undefined for an invalid key. */
export function verifyInboundKey(keys: Keys, key: string): { accountId: string; id: string } | undefined {
  const [accountId, id] = verifyToken(keys, PURPOSE, key)?.split(' ') ?? []
  return accountId && id ? { accountId, id } : undefined
}

/** A connected account. Its secrets are encrypted and are decrypted where they are used. */
export type ConnectedAccount = {
  accountId: string
  id: string
  repId: string
  provider: Output<'createLinkedinAccount'>['provider']
  secret: Uint8Array
  baseUrl: string | null
  providerAccountId: string | null
  apiKey: Uint8Array | null
  memberId: string | null
  status: Output<'createLinkedinAccount'>['status']
}

export const accountColumns = (sql: Sql): Fragment => sql`
  l.account_id as "accountId", l.id, l.rep_id as "repId", l.provider, l.secret, l.base_url as "baseUrl",
  l.provider_account_id as "providerAccountId", l.api_key as "apiKey", l.member_id as "memberId", l.status`

export async function findConnectedAccount(tx: Sql, id: string): Promise<ConnectedAccount | undefined> {
  const [account] = await tx<ConnectedAccount[]>`
    select ${accountColumns(tx)} from linkedin_accounts l where l.account_id = current_account_id() and l.id = ${id}`
  return account
}

export const decryptSecret = (keys: Keys, { accountId, id, secret }: ConnectedAccount): string =>
  decrypt(keys, secret, toSecretContext(accountId, id, 'secret'))

export const decryptProviderKey = (keys: Keys, { accountId, id, apiKey }: ConnectedAccount): string =>
  decrypt(keys, apiKey!, toSecretContext(accountId, id, 'api key'))

/** Sets the status that the provider last reported. */
export const setAccountStatus = (
  tx: Sql,
  id: string,
  { status, reason }: { status: 'working' | 'failing'; reason?: string },
) => tx`
  update linkedin_accounts
     set status = ${status}, status_reason = ${reason ?? null}, updated_at = now()
   where account_id = current_account_id() and id = ${id}
     and (status, coalesce(status_reason, '')) is distinct from (${status}::text, ${reason ?? ''}::text)`

/**
 * Marks a waiting account as working after an incoming event, and stores the rep’s LinkedIn member ID. An event does
 * not prove that the API key is accepted, so failing accounts stay failing.
 */
export const recordActivity = (tx: Sql, id: string, memberId?: string) => tx`
  update linkedin_accounts
     set status = case status when 'waiting' then 'working' else status end,
         member_id = coalesce(${memberId ?? null}, member_id), updated_at = now()
   where account_id = current_account_id() and id = ${id}
     and (status = 'waiting' or member_id is distinct from coalesce(${memberId ?? null}, member_id))`
