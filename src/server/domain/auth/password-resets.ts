import { hash } from 'node:crypto'
import { decryptToken, encryptToken, type Keys } from '../../kernel/crypto.ts'
import type { Pool, Sql } from '../../kernel/db/database.ts'
import { invalid } from '../../kernel/errors.ts'
import { canonicalEmail } from '../../protocols/identity/email.ts'
import { hashNewPassword } from '../../protocols/passwords/hash-password.ts'
import { type Author, auditUser } from '../accounts/audit-log.ts'
import { markEmailVerified, readEmailAndName } from '../accounts/users.ts'
import { replaceCredentials } from './credentials.ts'

const PURPOSE = 'password reset'
const LIFETIME_MS = 3_600_000

type ResetToken = [userId: string, expiresAt: number, fingerprint: string]

/** Binds a token to the current password, so that a new password voids it without a table of tokens. */
export const toFingerprint = (passwordHash: string | null): string =>
  hash('sha256', passwordHash ?? '', 'base64')

/** Creates the token of a link that sets a new password once, within an hour; undefined if no user has that address. */
export async function createResetToken(
  auth: Sql,
  keys: Keys,
  { email, now }: { email: string; now: Date },
): Promise<{ email: string; token: string } | undefined> {
  const [user] = await auth<{ id: string; email: string; passwordHash: string | null }[]>`
    select id, email, password_hash as "passwordHash" from users where email = ${canonicalEmail(email) ?? ''}`
  if (!user) return undefined
  const content: ResetToken = [user.id, now.getTime() + LIFETIME_MS, toFingerprint(user.passwordHash)]
  return { email: user.email, token: encryptToken(keys, PURPOSE, JSON.stringify(content)) }
}

type ResetLink = { token: string; now: Date }

/** Returns the user of the link. Throws ValidationError if it was used or has expired. */
export async function findReset(
  auth: Sql,
  keys: Keys,
  { token, now }: ResetLink,
): Promise<{ userId: string; email: string; fingerprint: string }> {
  const text = decryptToken(keys, PURPOSE, token)
  const [userId, expiresAt, fingerprint] = text ? (JSON.parse(text) as ResetToken) : []
  if (!userId || !fingerprint || !expiresAt || expiresAt <= now.getTime()) throw linkEnded()
  const [user] = await auth<{ email: string; passwordHash: string | null }[]>`
    select email, password_hash as "passwordHash" from users where id = ${userId}`
  if (!user || toFingerprint(user.passwordHash) !== fingerprint) throw linkEnded()
  return { userId, email: user.email, fingerprint }
}

const linkEnded = () => invalid('', 'This link was used, has expired or is incomplete. Request a new one.')

/**
 * Sets the password and revokes all other credentials of the user. Marks the address as verified: the link was mailed
 * to it, or came from the operator of the server, who has access to the database anyway.
 */
export async function resetPassword(
  auth: Pool,
  keys: Keys,
  { password, ...link }: ResetLink & { password: string },
  author: Author,
): Promise<{ userId: string }> {
  const { userId, fingerprint } = await findReset(auth, keys, link)
  const passwordHash = await hashNewPassword(password, await readEmailAndName(auth, userId))
  await auth.begin(async sql => {
    const [found] = await sql<{ passwordHash: string | null }[]>`
      select password_hash as "passwordHash" from users where id = ${userId} for update`
    if (!found || toFingerprint(found.passwordHash) !== fingerprint) throw linkEnded()
    const user = { ...author, userId }
    await auditUser(sql, userId, user, 'reset_password')
    await replaceCredentials(sql, userId, passwordHash, user)
    await markEmailVerified(sql, userId)
  })
  return { userId }
}
