import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { invalid } from '../../kernel/errors.ts'
import { rejectWeakPassword } from './reject-weak-password.ts'

/** OWASP's minimum for argon2id (password storage cheat sheet): 19 MiB, two passes, one lane. */
const MEMORY_KIB = 19_456
const PASSES = 2
const LANES = 1
const SALT_BYTES = 16
const HASH_BYTES = 32
const MIN_PASSWORD_LENGTH = 10
const MAX_PASSWORD_LENGTH = 1024

const deriveKey = promisify(argon2)

type Parameters = { memory: number; passes: number; parallelism: number }

/** Hashes the NFKC form, because another keyboard may produce other code points for the same password. */
const deriveHash = (
  password: string,
  nonce: Buffer,
  tagLength: number,
  parameters: Parameters,
): Promise<Buffer> =>
  deriveKey('argon2id', { message: password.normalize('NFKC'), nonce, tagLength, ...parameters })

const base64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')

/**
 * Hashes a new password. Throws ValidationError when it is too short, too long, common, or built from `userTexts`, such
 * as the user's name and email address.
 */
export async function hashNewPassword(password: string, userTexts: readonly string[]): Promise<string> {
  if (password.length < MIN_PASSWORD_LENGTH || password.length > MAX_PASSWORD_LENGTH) {
    throw invalid('password', `must have ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters`)
  }
  await rejectWeakPassword(password, userTexts)
  return hashPassword(password)
}

/** Returns a PHC string, which stores parameters and salt, so that later parameters don't invalidate old hashes. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const parameters = { memory: MEMORY_KIB, passes: PASSES, parallelism: LANES }
  const tag = await deriveHash(password, salt, HASH_BYTES, parameters)
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${base64(salt)}$${base64(tag)}`
}

const phcPattern = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([\w+/]+)\$([\w+/]+)$/

/**
 * Verifies a password against a stored hash. Without a hash (unknown user or no password), does the same work and
 * returns false, so that timing does not reveal who has an account.
 */
export async function verifyPassword(stored: string | null | undefined, password: string): Promise<boolean> {
  if (password.length > MAX_PASSWORD_LENGTH) return false
  const match = stored ? phcPattern.exec(stored) : undefined
  if (stored && !match) throw new Error('stored password hash has an unknown format')
  const [, memory = MEMORY_KIB, passes = PASSES, parallelism = LANES, salt, tag] = match ?? []
  const parameters = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) }
  const expected = tag ? Buffer.from(tag, 'base64') : Buffer.alloc(HASH_BYTES)
  const nonce = salt ? Buffer.from(salt, 'base64') : Buffer.alloc(SALT_BYTES)
  const actual = await deriveHash(password, nonce, expected.length, parameters)
  return timingSafeEqual(actual, expected) && match !== undefined
}
