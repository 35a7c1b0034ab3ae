import { randomUUID } from 'node:crypto'
import { decryptToken, encryptToken, type Keys } from '../crypto.ts'
import type { Sql } from '../db.ts'
import { canonicalEmail } from '../identity/email.ts'
import { markOf } from './password-resets.ts'

const PURPOSE = 'known device'
const LIFETIME_MS = 90 * 86_400_000

type DeviceToken = [deviceId: string, userId: string, password: string, expiresAt: number]
type StoredUser = { email: string; passwordHash: string | null }

const findUser = async (auth: Sql, userId: string): Promise<StoredUser | undefined> => {
  const [user] = await auth<StoredUser[]>`
    select email, password_hash as "passwordHash" from users where id = ${userId}`
  return user
}

/** The token of a browser that a user signed in with. A new password makes it void. */
export async function createDeviceToken(
  auth: Sql,
  keys: Keys,
  { userId, now }: { userId: string; now: Date },
): Promise<{ token: string; expiresAt: Date }> {
  const user = await findUser(auth, userId)
  const expiresAt = new Date(now.getTime() + LIFETIME_MS)
  const content: DeviceToken = [randomUUID(), userId, markOf(user?.passwordHash ?? null), expiresAt.getTime()]
  return { token: encryptToken(keys, PURPOSE, JSON.stringify(content)), expiresAt }
}

/** The id of the device when the user with that address signed in with it; else undefined. */
export async function findKnownDevice(
  auth: Sql,
  keys: Keys,
  { token, email, now }: { token: string | undefined; email: string; now: Date },
): Promise<string | undefined> {
  const text = token && decryptToken(keys, PURPOSE, token)
  if (!text) return undefined
  const [deviceId, userId, mark, expiresAt] = JSON.parse(text) as DeviceToken
  if (expiresAt <= now.getTime()) return undefined
  const user = await findUser(auth, userId)
  const isTheirs = user && user.email === canonicalEmail(email) && markOf(user.passwordHash) === mark
  return isTheirs ? deviceId : undefined
}
