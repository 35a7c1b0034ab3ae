import { hash } from 'node:crypto'
import { decryptToken, encryptToken, type Keys } from '../crypto.ts'
import type { Pool, Sql } from '../db.ts'
import { invalid } from '../errors.ts'
import { canonicalEmail } from '../identity/email.ts'
import { type Author, auditUser } from './audit-log.ts'
import { markEmailVerified, replaceCredentials } from './credentials.ts'
import { hashNewPassword } from './passwords.ts'
import { readNames } from './users.ts'

const PURPOSE = 'password reset'
const LIFETIME_MS = 3_600_000

type ResetToken = [userId: string, expiresAt: number, password: string]

/** Binds a token to the password of its time: the next password ends it, and it needs no table. */
export const markOf = (passwordHash: string | null): string => hash('sha256', passwordHash ?? '', 'base64')

/** The token of a link that sets a new password within an hour, once; undefined when nobody has that address. */
export async function makeResetToken(
  auth: Sql,
  keys: Keys,
  { email, now }: { email: string; now: Date },
): Promise<{ email: string; token: string } | undefined> {
  const [user] = await auth<{ id: string; email: string; passwordHash: string | null }[]>`
    select id, email, password_hash as "passwordHash" from users where email = ${canonicalEmail(email) ?? ''}`
  if (!user) return undefined
  const content: ResetToken = [user.id, now.getTime() + LIFETIME_MS, markOf(user.passwordHash)]
  return { email: user.email, token: encryptToken(keys, PURPOSE, JSON.stringify(content)) }
}

/**
 * Sets the password and ends everything else the user signs in or acts with, whoever made it. It proves the address: the
 * link went to it by mail, or was handed on by whoever runs the server, who can read the database anyway.
 */
export async function resetPassword(
  auth: Pool,
  keys: Keys,
  { token, password, now }: { token: string; password: string; now: Date },
  author: Author,
): Promise<{ userId: string }> {
  const text = decryptToken(keys, PURPOSE, token)
  const [userId, expiresAt, mark] = text ? (JSON.parse(text) as ResetToken) : []
  const isOver = expiresAt === undefined || expiresAt <= now.getTime()
  const passwordHash = await hashNewPassword(password, userId ? await readNames(auth, userId) : [])
  await auth.begin(async sql => {
    const [found] = isOver
      ? []
      : await sql<{ passwordHash: string | null }[]>`
          select password_hash as "passwordHash" from users where id = ${userId!} for update`
    if (!found || markOf(found.passwordHash) !== mark) {
      throw invalid('token', 'is of a link that was used, is over, or was cut in two. Ask for a new one.')
    }
    const user = { ...author, userId: userId! }
    await auditUser(sql, userId!, user, 'reset_password')
    await replaceCredentials(sql, userId!, passwordHash, user)
    await markEmailVerified(sql, userId!)
  })
  return { userId: userId! }
}
