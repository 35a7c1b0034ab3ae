import { createPrivateKey, generateKeyPair, randomUUIDv7 } from 'node:crypto'
import { promisify } from 'node:util'
import type { Input, Output } from '../../../contract/index.ts'
import type { App, Context } from '../../kernel/context.ts'
import { decrypt, encrypt } from '../../kernel/crypto.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { notFound } from '../../kernel/errors.ts'
import type { Json } from '../../kernel/json.ts'
import type { SigningKey } from '../../protocols/mime/dkim.ts'
import { audit } from '../accounts/audit-log.ts'
import { getDomain } from './domains.ts'

/**
 * Supported by every receiver (RFC 8301 section 3.2). Longer keys don't fit in the TXT records of some DNS providers.
 */
const KEY_BITS = 2048

export async function createDkimKey(
  ctx: Context,
  { domainId }: Input<'createDkimKey'>,
): Promise<Json<Output<'createDkimKey'>>> {
  const [domain] = await ctx.sql`
    select from domains where account_id = ${ctx.accountId} and id = ${domainId} for no key update`
  if (!domain) throw notFound('domain')
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: KEY_BITS,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const id = randomUUIDv7()
  await deleteWaitingKey(ctx, domainId)
  await ctx.sql`
    insert into dkim_keys (account_id, id, domain_id, selector, public_key, private_key)
    values (${ctx.accountId}, ${id}, ${domainId}, ${`ovt${id.replaceAll('-', '').slice(-10)}`},
            ${publicKey.toString('base64')}, ${encrypt(ctx.app.keys, privateKey, toSecretContext(ctx.accountId, id))})`
  await audit(ctx, 'create', 'dkim_key', id)
  return getDomain(ctx, { domainId })
}

const deleteWaitingKey = ({ sql, accountId }: Context, domainId: string) => sql`
  delete from dkim_keys
   where account_id = ${accountId} and domain_id = ${domainId} and status = 'waiting'`

/** Makes the waiting key the signing key. Retires the previous key and deletes its private key. */
export async function startSigning(ctx: Context, domainId: string, keyId: string): Promise<void> {
  // A concurrent check may have activated it already.
  const [waiting] = await ctx.sql`
    select from dkim_keys
     where account_id = ${ctx.accountId} and id = ${keyId} and status = 'waiting'
       for update`
  if (!waiting) return
  await retireSigningKey(ctx, domainId)
  await ctx.sql`
    update dkim_keys set status = 'signing', updated_at = now()
     where account_id = ${ctx.accountId} and id = ${keyId}`
  await audit(ctx, 'start_signing', 'dkim_key', keyId)
}

const retireSigningKey = ({ sql, accountId }: Context, domainId: string) => sql`
  update dkim_keys set status = 'retired', private_key = null, updated_at = now()
   where account_id = ${accountId} and domain_id = ${domainId} and status = 'signing'`

type StoredSigningKey = {
  accountId: string
  id: string
  domain: string
  selector: string
  privateKey: Uint8Array
}

/** Finds the signing keys of these domains, still encrypted. Runs in the account's transaction. */
export const findSigningKeys = (tx: Sql, domains: readonly string[]): Promise<StoredSigningKey[]> => tx<
  StoredSigningKey[]
>`
  select k.account_id as "accountId", k.id, d.domain, k.selector, k.private_key as "privateKey"
    from domains d
    join dkim_keys k on k.account_id = d.account_id and k.domain_id = d.id and k.status = 'signing'
   where d.account_id = current_account_id() and d.domain = any(${[...domains]}::text[])`

/** Returns the decrypted key, or why it can't be decrypted. */
export function decryptSigningKey({ keys }: Pick<App, 'keys'>, key: StoredSigningKey): SigningKey | string {
  const { accountId, id, domain, selector } = key
  try {
    return {
      domain,
      selector,
      privateKey: createPrivateKey(decrypt(keys, key.privateKey, toSecretContext(accountId, id))),
    }
  } catch {
    return `The signing key of ${domain} was encrypted with a different secret. Create a new key, or remove the domain.`
  }
}

const toSecretContext = (accountId: string, id: string): string => `dkim_key ${accountId} ${id} private_key`
