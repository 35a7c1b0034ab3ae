import { randomUUID } from 'node:crypto'
import { decryptToken, encryptToken, type Keys } from '../../kernel/crypto.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { canonicalEmail } from '../../protocols/identity/email.ts'
import { toFingerprint } from './password-resets.ts'

const PURPOSE = 'known device'
const LIFETIME_MS = 90 * 86_400_000

type DeviceToken = [deviceId: string, userId: string, fingerprint: string, expiresAt: number]
/** A user as stored; `factors` changes with the password, and when codes are turned on or off. */
type StoredUser = { email: string; factors: string }

/** The expected owner of the device: by address before signing in, by ID after the password was checked. */
export type DeviceOwner = { email: string } | { userId: string }

const findUser = async (auth: Sql, userId: string): Promise<StoredUser | undefined> => {
  const [user] = await auth<StoredUser[]>`
    select u.email, concat_ws(' ', u.password_hash, a.created_at) as factors
      from users u left join authenticator_apps a on a.user_id = u.id
     where u.id = ${userId}`
  return user
}

/**
 * Creates the token of a browser in which a user signed in. A new password voids it, and so does turning codes on,
 * because earlier sign-ins required no code.
 */
export async function createDeviceToken(
  auth: Sql,
  keys: Keys,
  { userId, now }: { userId: string; now: Date },
): Promise<{ token: string; expiresAt: Date }> {
  const user = await findUser(auth, userId)
  const expiresAt = new Date(now.getTime() + LIFETIME_MS)
  const content: DeviceToken = [
    randomUUID(),
    userId,
    toFingerprint(user?.factors ?? null),
    expiresAt.getTime(),
  ]
  return { token: encryptToken(keys, PURPOSE, JSON.stringify(content)), expiresAt }
}

/** Returns the ID of the device if its owner signed in with it before. */
export async function findKnownDevice(
  auth: Sql,
  keys: Keys,
  { token, owner, now }: { token: string | undefined; owner: DeviceOwner; now: Date },
): Promise<string | undefined> {
  const text = token && decryptToken(keys, PURPOSE, token)
  if (!text) return undefined
  const [deviceId, userId, fingerprint, expiresAt] = JSON.parse(text) as DeviceToken
  if (expiresAt <= now.getTime()) return undefined
  const user = await findUser(auth, userId)
  if (!user || toFingerprint(user.factors) !== fingerprint) return undefined
  const isOwner = 'userId' in owner ? owner.userId === userId : canonicalEmail(owner.email) === user.email
  return isOwner ? deviceId : undefined
}
