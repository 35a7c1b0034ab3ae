import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  randomUUID,
  timingSafeEqual,
} from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Keys of this installation, all derived from its one secret. */
export type Keys = { encryption: Buffer; signing: Buffer }

export const deriveKeys = (secret: string): Keys => ({
  encryption: derive(secret, 'overture encryption v1'),
  signing: derive(secret, 'overture signing v1'),
})

const derive = (secret: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', purpose, 32))

/** The secret kept in `<dataDir>/secret` (0600); made by whoever comes first. */
export async function loadOrCreateSecret(dataDir: string): Promise<string> {
  const path = join(dataDir, 'secret')
  if (!existsSync(path)) await makeSecret(path)
  return (await readFile(path, 'utf8')).trim()
}

async function makeSecret(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  // Of a name that nothing has: what a killed process left may be the secret itself under a second name.
  const draft = `${path}.${randomUUID()}`
  try {
    await writeFile(draft, randomBytes(48).toString('base64url'), { mode: 0o600, flush: true, flag: 'wx' })
    // A link fails when the name is taken, so two processes agree on one secret, and nobody reads half of it.
    await link(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(draft, { force: true })
  }
}

const VERSION = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16

let nonces = Buffer.alloc(0)

/** Drawn for many at once: a few random bytes cost as much as thousands. */
function newNonce(): Buffer {
  if (nonces.length === 0) nonces = randomBytes(256 * NONCE_BYTES)
  const nonce = nonces.subarray(0, NONCE_BYTES)
  nonces = nonces.subarray(NONCE_BYTES)
  return nonce
}

/** AES-256-GCM. `place` (account, row, column) is bound to the text: moved elsewhere, it can't be read. */
export function encrypt(keys: Keys, text: string, place: string): Buffer {
  const nonce = newNonce()
  const cipher = createCipheriv('aes-256-gcm', keys.encryption, nonce).setAAD(Buffer.from(place))
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), body])
}

/** Throws when the bytes were altered, moved from another place, or written under another secret. */
export function decrypt(keys: Keys, bytes: Uint8Array, place: string): string {
  const buffer = Buffer.from(bytes)
  if (buffer[0] !== VERSION) throw new Error(`stored secret has the unknown form ${buffer[0]}`)
  const nonce = buffer.subarray(1, 1 + NONCE_BYTES)
  const tag = buffer.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES)
  const decipher = createDecipheriv('aes-256-gcm', keys.encryption, nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(place)).setAuthTag(tag)
  return (
    decipher.update(buffer.subarray(1 + NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
  )
}

const SIGNATURE_BYTES = 16

const signature = (keys: Keys, purpose: string, payload: Buffer): Buffer =>
  createHmac('sha256', keys.signing)
    .update(purpose)
    .update('\0')
    .update(payload)
    .digest()
    .subarray(0, SIGNATURE_BYTES)

/** Text that only we can have made, for this purpose; safe in URLs. */
export function signToken(keys: Keys, purpose: string, text: string): string {
  const payload = Buffer.from(text)
  return Buffer.concat([signature(keys, purpose, payload), payload]).toString('base64url')
}

/** The text that was sealed for this purpose; undefined when it was not. */
export function verifyToken(keys: Keys, purpose: string, sealed: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url')
  // base64url reads past stray characters; only the one spelling we gave out counts.
  if (bytes.length <= SIGNATURE_BYTES || bytes.toString('base64url') !== sealed) return undefined
  const payload = bytes.subarray(SIGNATURE_BYTES)
  return timingSafeEqual(bytes.subarray(0, SIGNATURE_BYTES), signature(keys, purpose, payload))
    ? payload.toString('utf8')
    : undefined
}

/** Text that only we can read and can have made, for this purpose; safe in URLs. */
export const encryptToken = (keys: Keys, purpose: string, text: string): string =>
  encrypt(keys, text, `token ${purpose}`).toString('base64url')

/** The text that was encrypted for this purpose; undefined when this is no such token. */
export function decryptToken(keys: Keys, purpose: string, token: string): string | undefined {
  const bytes = Buffer.from(token, 'base64url')
  if (bytes.length <= 1 + NONCE_BYTES + TAG_BYTES || bytes.toString('base64url') !== token) return undefined
  try {
    return decrypt(keys, bytes, `token ${purpose}`)
  } catch {
    return undefined
  }
}
