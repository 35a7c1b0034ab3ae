import { randomUUIDv7 } from 'node:crypto'
import { exportJWK, generateKeyPair, type JWK } from 'jose'
import type { App } from '../../kernel/context.ts'
import { decrypt, encrypt, type Keys } from '../../kernel/crypto.ts'
import type { Pool, Sql } from '../../kernel/db/database.ts'

/** Every process rereads the keys at least this often; a new key signs only after twice that time. */
const MAX_AGE_MS = 10_000
const SIGNS_AFTER_MS = 2 * MAX_AGE_MS
/** A replaced key is deleted an hour after the last token it may have signed has expired. */
const RETENTION = '90 minutes'

/** Private keys. The first one signs; the public halves of all are published. `version` changes with the keys. */
export type SigningKeys = { version: string; jwks: JWK[] }

/** Returns a function that reads the current keys of this installation, and creates one if there is none. */
export function openSigningKeys({
  db,
  keys,
  now,
}: Pick<App, 'db' | 'keys' | 'now'>): () => Promise<SigningKeys> {
  let current: Promise<SigningKeys> | undefined
  let readAt = 0
  return () => {
    const age = now().getTime() - readAt
    if (current && age >= 0 && age < MAX_AGE_MS) return current
    readAt = now().getTime()
    const result = readKeys(db.auth, keys, now())
    result.catch(() => {
      if (current === result) current = undefined
    })
    current = result
    return result
  }
}

async function readKeys(auth: Pool, keys: Keys, now: Date): Promise<SigningKeys> {
  const rows = await auth<{ id: string; privateJwk: Buffer; signs: boolean }[]>`
    select id, private_jwk as "privateJwk", signs_from <= ${now} as signs
      from oauth_keys order by (signs_from <= ${now}) desc, signs_from desc, id`
  if (rows.length === 0) {
    await auth.begin(async sql => {
      // Processes that start at the same time create only one key.
      await sql`select pg_advisory_xact_lock(hashtextextended('oauth_keys', 1))`
      const [existing] = await sql`select from oauth_keys limit 1`
      if (!existing) await addKey(sql, keys, new Date(0))
    })
    return readKeys(auth, keys, now)
  }
  const jwks = rows.map(
    ({ id, privateJwk }) => JSON.parse(decrypt(keys, privateJwk, toSecretContext(id))) as JWK,
  )
  return { version: rows.map(({ id, signs }) => `${id} ${signs}`).join(), jwks }
}

/**
 * Adds a key that signs as soon as every process has read it, and deletes keys replaced long ago. Tokens signed
 * earlier stay valid.
 */
export async function rotateSigningKeys({
  db,
  keys,
  now,
}: Pick<App, 'db' | 'keys' | 'now'>): Promise<{ id: string; signsFrom: Date }> {
  const signsFrom = new Date(now().getTime() + SIGNS_AFTER_MS)
  return (await db.auth.begin(async sql => {
    await sql`select pg_advisory_xact_lock(hashtextextended('oauth_keys', 1))`
    await sql`
      delete from oauth_keys k
       where exists (select from oauth_keys successor
                      where successor.signs_from > k.signs_from
                        and successor.signs_from < ${now()}::timestamptz - ${RETENTION}::interval)`
    return { id: await addKey(sql, keys, signsFrom), signsFrom }
  })) as { id: string; signsFrom: Date }
}

async function addKey(sql: Sql, keys: Keys, signsFrom: Date): Promise<string> {
  const id = randomUUIDv7()
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const jwk = { ...(await exportJWK(privateKey)), kid: id, alg: 'ES256', use: 'sig' }
  await sql`
    insert into oauth_keys (id, private_jwk, signs_from)
    values (${id}, ${encrypt(keys, JSON.stringify(jwk), toSecretContext(id))}, ${signsFrom})`
  return id
}

const toSecretContext = (id: string) => `oauth_keys ${id} private_jwk`

/** Returns the public half of a key. */
export const toPublicJwk = ({ kty, crv, x, y, kid, alg, use }: JWK): JWK =>
  ({ kty, crv, x, y, kid, alg, use }) as JWK
