import { hash, randomBytes } from 'node:crypto'
import type { Sql } from '../../kernel/db/database.ts'

export type AttemptKind = 'code' | 'passkey' | 'new-passkey' | 'single-sign-on'

export type SignInAttempt = { userId: string | null; payload: Record<string, string> }

const LIFETIME_MS = 10 * 60_000
const TOKEN_BYTES = 32

const hashToken = (token: string): Buffer => hash('sha256', token, 'buffer')

/** Starts an attempt, whose token becomes a browser cookie, and deletes expired attempts. */
export async function beginAttempt(
  auth: Sql,
  { kind, userId, payload = {}, now }: Partial<SignInAttempt> & { kind: AttemptKind; now: Date },
): Promise<{ token: string; expiresAt: Date }> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  const expiresAt = new Date(now.getTime() + LIFETIME_MS)
  await auth`
    with expired as (delete from sign_in_attempts where expires_at <= ${now})
    insert into sign_in_attempts (token_hash, kind, user_id, payload, expires_at)
    values (${hashToken(token)}, ${kind}, ${userId ?? null}, ${auth.json(payload)}, ${expiresAt})`
  return { token, expiresAt }
}

/** Returns undefined if the attempt has expired, was consumed or is of another kind. */
export async function findAttempt(
  auth: Sql,
  { kind, token, now }: { kind: AttemptKind; token: string | undefined; now: Date },
): Promise<SignInAttempt | undefined> {
  const [found] = await auth<SignInAttempt[]>`
    select user_id as "userId", payload from sign_in_attempts
     where token_hash = ${hashToken(token ?? '')} and kind = ${kind} and expires_at > ${now}`
  return found
}

/** Finds an attempt like `findAttempt` and deletes it, because it can be used only once. */
export async function consumeAttempt(
  auth: Sql,
  { kind, token, now }: { kind: AttemptKind; token: string | undefined; now: Date },
): Promise<SignInAttempt | undefined> {
  const [consumed] = await auth<SignInAttempt[]>`
    delete from sign_in_attempts
     where token_hash = ${hashToken(token ?? '')} and kind = ${kind} and expires_at > ${now}
 returning user_id as "userId", payload`
  return consumed
}

export const deleteAttempts = (auth: Sql, userId: string) => auth`
  delete from sign_in_attempts where user_id = ${userId}`
