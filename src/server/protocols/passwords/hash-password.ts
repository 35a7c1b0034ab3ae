import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { invalid } from '../../kernel/errors.ts'
import { rejectWeakPassword } from './reject-weak-password.ts'

/** The least that OWASP's password storage cheat sheet asks of argon2id: 19 MiB, two passes, one lane. */
const MEMORY_KIB = 19_456
const PASSES = 2
const LANES = 1
const SALT_BYTES = 16
const HASH_BYTES = 32
export const MIN_PASSWORD_LENGTH = 10
const MAX_PASSWORD_LENGTH = 1024

const deriveKey = promisify(argon2)

type Parameters = { memory: number; passes: number; parallelism: number }

/** The same password typed on another keyboard may come in other code points: compatibility forms become one. */
const hash = (password: string, nonce: Buffer, tagLength: number, parameters: Parameters): Promise<Buffer> =>
  deriveKey('argon2id', { message: password.normalize('NFKC'), nonce, tagLength, ...parameters })

const base64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')

/**
 * Returns the hash of a password that somebody chooses. Throws ValidationError for one that is too short, too long, common,
 * or built from `about`: the texts known about its user, such as name and address.
 */
export async function hashNewPassword(password: string, about: readonly string[]): Promise<string> {
  if (password.length < MIN_PASSWORD_LENGTH || password.length > MAX_PASSWORD_LENGTH) {
    throw invalid('password', `must have ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters`)
  }
  await rejectWeakPassword(password, about)
  return hashPassword(password)
}

/** Returns a PHC string: algorithm, parameters, salt and hash, so that stronger parameters later leave old ones readable. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const parameters = { memory: MEMORY_KIB, passes: PASSES, parallelism: LANES }
  const tag = await hash(password, salt, HASH_BYTES, parameters)
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${base64(salt)}$${base64(tag)}`
}

const phc = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([\w+/]+)\$([\w+/]+)$/

/**
 * Whether the password is the one behind the stored hash. Without a hash (no such user, or none set) it is false
 * after the same work, so that the time does not tell who has an account.
 */
export async function verifyPassword(stored: string | null | undefined, password: string): Promise<boolean> {
  if (password.length > MAX_PASSWORD_LENGTH) return false
  const match = stored ? phc.exec(stored) : undefined
  if (stored && !match) throw new Error('a stored password hash has an unknown form')
  const [, memory = MEMORY_KIB, passes = PASSES, parallelism = LANES, salt, tag] = match ?? []
  const parameters = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) }
  const expected = tag ? Buffer.from(tag, 'base64') : Buffer.alloc(HASH_BYTES)
  const nonce = salt ? Buffer.from(salt, 'base64') : Buffer.alloc(SALT_BYTES)
  const actual = await hash(password, nonce, expected.length, parameters)
  return timingSafeEqual(actual, expected) && match !== undefined
}
