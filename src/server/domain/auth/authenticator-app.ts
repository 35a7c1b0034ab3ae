import { hash, randomBytes } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { decrypt, decryptToken, encrypt, encryptToken, type Keys } from '../../kernel/crypto.ts'
import type { Pool, Sql } from '../../kernel/db/database.ts'
import { conflict, invalid } from '../../kernel/errors.ts'
import { type Author, auditUser } from '../accounts/audit-log.ts'
import { lockSession } from './sessions.ts'

const PERIOD_SECONDS = 30
/** Accepted time steps before and after the current one, for clock skew. */
const WINDOW = 1
const SETUP_LIFETIME_MS = 60 * 60_000
const PURPOSE = 'authenticator app'
const RECOVERY_CODES = 10
const RECOVERY_BYTES = 10
const RECOVERY_LETTERS = (RECOVERY_BYTES * 8) / 5

const toSecretContext = (userId: string): string => `authenticator_app ${userId} secret`

const toTotp = (secret: string, email = ''): TOTP =>
  new TOTP({
    issuer: 'Overture',
    label: email,
    secret: Secret.fromBase32(secret),
    digits: 6,
    period: PERIOD_SECONDS,
  })

type Setup = [userId: string, secret: string, expiresAt: number]

/** Returns a new secret, which is not stored; `enableTotp` takes `setUp` and a code from the app. */
export function beginTotpSetup(
  keys: Keys,
  { user, now }: { user: { id: string; email: string }; now: Date },
): { secret: string; uri: string; setUp: string } {
  const secret = new Secret({ size: 20 }).base32
  const content: Setup = [user.id, secret, now.getTime() + SETUP_LIFETIME_MS]
  return {
    secret,
    uri: toTotp(secret, user.email).toString(),
    setUp: encryptToken(keys, PURPOSE, JSON.stringify(content)),
  }
}

/**
 * Requires a code in addition to the user's password from now on. Returns the recovery codes, which are only shown
 * once.
 */
export async function enableTotp(
  auth: Pool,
  keys: Keys,
  {
    session,
    setUp,
    code,
    now,
  }: { session: { id: string; userId: string }; setUp: string; code: string; now: Date },
  author: Author,
): Promise<string[]> {
  const { userId } = session
  const text = decryptToken(keys, PURPOSE, setUp)
  const [forUserId, secret = '', expiresAt = 0] = text ? (JSON.parse(text) as Setup) : []
  if (forUserId !== userId || expiresAt <= now.getTime()) {
    throw invalid('setUp', 'has expired. Remove the entry from the app and start again')
  }
  const step = findTimeStep(secret, code, now)
  if (step === undefined) throw invalid('code', 'must be the code that the app shows now')
  const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode)
  await auth.begin(async sql => {
    await lockSession(sql, session)
    const { count } = await sql`
      insert into authenticator_apps (user_id, secret, last_step)
      values (${userId}, ${encrypt(keys, secret, toSecretContext(userId))}, ${step})
      on conflict do nothing`
    if (count === 0)
      throw conflict('Codes are already turned on. Turn them off before you set up another app.')
    const rows = codes.map(code => ({ user_id: userId, code_hash: hashCode(code) }))
    await sql`insert into recovery_codes ${sql.rows(rows)}`
    await auditUser(sql, userId, author, 'enable_totp')
  })
  return codes
}

/** Returns false if codes were already off. */
export const disableTotp = (auth: Pool, userId: string, author: Author): Promise<boolean> =>
  auth.begin(async sql => {
    const { count } = await sql`delete from authenticator_apps where user_id = ${userId}`
    if (count > 0) await auditUser(sql, userId, author, 'disable_totp')
    return count > 0
  }) as Promise<boolean>

/** Returns the number of unused recovery codes; undefined when codes are off. */
export async function countRecoveryCodes(auth: Sql, userId: string): Promise<number | undefined> {
  const [app] = await auth<{ left: number }[]>`
    select (select count(*)::int from recovery_codes r where r.user_id = a.user_id) as left
      from authenticator_apps a where a.user_id = ${userId}`
  return app?.left
}

/** Returns whether the text has the form of a recovery code, which is too long to guess and needs no rate limit. */
export const isRecoveryCode = (code: string): boolean => normalizeCode(code).length === RECOVERY_LETTERS

/** Consumes a code from the app or a recovery code; returns false if it is wrong or was used before. */
export async function consumeCode(
  auth: Pool,
  keys: Keys,
  { userId, code, now }: { userId: string; code: string; now: Date },
): Promise<boolean> {
  return auth.begin(async sql => {
    const [app] = await sql<StoredApp[]>`
      select secret, last_step as "lastStep" from authenticator_apps where user_id = ${userId} for update`
    if (!app) return false
    if (isRecoveryCode(code)) return consumeRecoveryCode(sql, userId, code)
    return consumeTimeStep(
      sql,
      userId,
      app,
      findTimeStep(decrypt(keys, app.secret, toSecretContext(userId)), code, now),
    )
  })
}

type StoredApp = { secret: Uint8Array; lastStep: bigint }

/** Returns the time step that the code belongs to, if it is within the window. */
function findTimeStep(secret: string, code: string, now: Date): number | undefined {
  const timestamp = now.getTime()
  const delta = toTotp(secret).validate({ token: code.replace(/\s/g, ''), timestamp, window: WINDOW })
  return delta === null ? undefined : Math.floor(timestamp / 1000 / PERIOD_SECONDS) + delta
}

async function consumeTimeStep(
  sql: Sql,
  userId: string,
  { lastStep }: StoredApp,
  step: number | undefined,
): Promise<boolean> {
  if (step === undefined || step <= lastStep) return false
  await sql`update authenticator_apps set last_step = ${step} where user_id = ${userId}`
  return true
}

async function consumeRecoveryCode(sql: Sql, userId: string, code: string): Promise<boolean> {
  const deleted = await sql`
    delete from recovery_codes where user_id = ${userId} and code_hash = ${hashCode(code)}`
  return deleted.count > 0
}

/** Generates a recovery code of 80 random bits, enough for a plain SHA-256, in groups that are easy to type. */
const newRecoveryCode = (): string =>
  new Secret({ buffer: new Uint8Array(randomBytes(RECOVERY_BYTES)).buffer }).base32
    .toLowerCase()
    .match(/.{4}/g)!
    .join('-')

const normalizeCode = (code: string): string => code.toLowerCase().replace(/[^a-z0-9]/g, '')

const hashCode = (code: string): Buffer => hash('sha256', normalizeCode(code), 'buffer')
