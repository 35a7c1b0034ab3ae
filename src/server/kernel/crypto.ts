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

/** The keys of this installation, derived from its secret. */
export type Keys = { encryption: Buffer; signing: Buffer; ids: Buffer }

export const deriveKeys = (secret: string): Keys => ({
  encryption: deriveKey(secret, 'overture encryption v1'),
  signing: deriveKey(secret, 'overture signing v1'),
  ids: deriveKey(secret, 'overture ids v1'),
})

const deriveKey = (secret: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', purpose, 32))

/** The same minimum as for OVERTURE_SECRET. */
const MIN_SECRET_LENGTH = 32

/** Reads the secret in `<dataDir>/secret` (mode 0600), creating it when missing. Throws when it is damaged. */
export async function loadOrCreateSecret(dataDir: string): Promise<string> {
  const path = join(dataDir, 'secret')
  if (!existsSync(path)) await createSecret(path)
  const secret = (await readFile(path, 'utf8')).trim()
  // Anybody could derive the keys of an empty secret.
  if (secret.length < MIN_SECRET_LENGTH) throw new Error(`${path} is damaged. Restore it from a backup.`)
  return secret
}

async function createSecret(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  // Uses a new name each time, because a file left by a killed process may be a second link to the secret itself.
  const temporaryPath = `${path}.${randomUUID()}`
  try {
    await writeFile(temporaryPath, randomBytes(48).toString('base64url'), {
      mode: 0o600,
      flush: true,
      flag: 'wx',
    })
    // Linking fails when the name exists, so concurrent processes agree on one secret and never read half of it.
    await link(temporaryPath, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(temporaryPath, { force: true })
  }
}

const VERSION = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16

let nonces = Buffer.alloc(0)

/** Returns a nonce. Draws random bytes for 256 nonces at once, because a small draw costs as much as a large one. */
function newNonce(): Buffer {
  if (nonces.length === 0) nonces = randomBytes(256 * NONCE_BYTES)
  const nonce = nonces.subarray(0, NONCE_BYTES)
  nonces = nonces.subarray(NONCE_BYTES)
  return nonce
}

/**
 * Encrypts with AES-256-GCM. `location` (account, row, column) is authenticated, so text moved elsewhere can't be
 * decrypted.
 */
export function encrypt(keys: Keys, text: string, location: string): Buffer {
  const nonce = newNonce()
  const cipher = createCipheriv('aes-256-gcm', keys.encryption, nonce).setAAD(Buffer.from(location))
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), body])
}

/** Throws when the bytes were altered, moved from another location, or encrypted with another secret. */
export function decrypt(keys: Keys, bytes: Uint8Array, location: string): string {
  const buffer = Buffer.from(bytes)
  if (buffer[0] !== VERSION) throw new Error(`unknown version of a stored secret: ${buffer[0]}`)
  const nonce = buffer.subarray(1, 1 + NONCE_BYTES)
  const tag = buffer.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES)
  const decipher = createDecipheriv('aes-256-gcm', keys.encryption, nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(location)).setAuthTag(tag)
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

/** Returns a signed, URL-safe token that carries the text, valid for this purpose only. */
export function signToken(keys: Keys, purpose: string, text: string): string {
  const payload = Buffer.from(text)
  return Buffer.concat([signature(keys, purpose, payload), payload]).toString('base64url')
}

/** Returns the text of a token signed for this purpose, else undefined. */
export function verifyToken(keys: Keys, purpose: string, token: string): string | undefined {
  const bytes = Buffer.from(token, 'base64url')
  // Decoding base64url ignores stray characters; only the canonical encoding is valid.
  if (bytes.length <= SIGNATURE_BYTES || bytes.toString('base64url') !== token) return undefined
  const payload = bytes.subarray(SIGNATURE_BYTES)
  return timingSafeEqual(bytes.subarray(0, SIGNATURE_BYTES), signature(keys, purpose, payload))
    ? payload.toString('utf8')
    : undefined
}

/** Returns an encrypted, URL-safe token that carries the text, valid for this purpose only. */
export const encryptToken = (keys: Keys, purpose: string, text: string): string =>
  encrypt(keys, text, `token ${purpose}`).toString('base64url')

/** Returns the text of a token encrypted for this purpose, else undefined. */
export function decryptToken(keys: Keys, purpose: string, token: string): string | undefined {
  const bytes = Buffer.from(token, 'base64url')
  if (bytes.length <= 1 + NONCE_BYTES + TAG_BYTES || bytes.toString('base64url') !== token) return undefined
  try {
    return decrypt(keys, bytes, `token ${purpose}`)
  } catch {
    return undefined
  }
}

const ID_BYTES = 16
const ID_TOKEN_BYTES = ID_BYTES + 4

/**
 * Encrypts a UUID and the number of its account (32 bits) into 27 URL-safe characters. There is no room for a
 * signature. A forged token decrypts to a random UUID, so a token is valid only if a record with this ID exists in this
 * account.
 */
export function encryptId(
  keys: Keys,
  purpose: string,
  { id, accountNumber }: { id: string; accountNumber: number },
): string {
  const cipher = createCipheriv('aes-256-ecb', keys.ids, null).setAutoPadding(false)
  const token = Buffer.alloc(ID_TOKEN_BYTES)
  cipher.update(Buffer.from(id.replaceAll('-', ''), 'hex')).copy(token)
  token.writeUInt32BE((accountNumber ^ idMask(keys, purpose, token)) >>> 0, ID_BYTES)
  return token.toString('base64url')
}

/** Decrypts a token for this purpose. Returns undefined if the token is malformed. */
export function decryptId(
  keys: Keys,
  purpose: string,
  token: string,
): { id: string; accountNumber: number } | undefined {
  const bytes = Buffer.from(token, 'base64url')
  if (bytes.length !== ID_TOKEN_BYTES || bytes.toString('base64url') !== token) return undefined
  const decipher = createDecipheriv('aes-256-ecb', keys.ids, null).setAutoPadding(false)
  return {
    id: toUuid(decipher.update(bytes.subarray(0, ID_BYTES))),
    accountNumber: (bytes.readUInt32BE(ID_BYTES) ^ idMask(keys, purpose, bytes)) >>> 0,
  }
}

const idMask = (keys: Keys, purpose: string, token: Buffer): number =>
  signature(keys, purpose, token.subarray(0, ID_BYTES)).readUInt32BE()

/** Formats 16 bytes as a UUID. */
export const toUuid = (bytes: Buffer): string =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
