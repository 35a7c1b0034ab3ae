import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const ID_LENGTH = 8
/** 178.6 bits of entropy. */
const SECRET_LENGTH = 30
/** Holds any CRC-32 in base 62, because 62^6 is more than 2^32. */
const CHECKSUM_LENGTH = 6
const TOKEN_FORMAT = new RegExp(
  `^(ovt_live_[0-9A-Za-z]{${ID_LENGTH}})_[0-9A-Za-z]{${SECRET_LENGTH}}_[0-9A-Za-z]{${CHECKSUM_LENGTH}}$`,
)

/** The public prefix that identifies an API token, and the hash of the whole token, which is not stored itself. */
export type ParsedToken = { prefix: string; hash: Buffer }

/**
 * Returns a new token: `ovt_live_<id>_<secret>_<checksum>`. The checksum lets secret scanners recognize real tokens.
 */
export function generateToken(): string {
  const body = `ovt_live_${randomText(ID_LENGTH)}_${randomText(SECRET_LENGTH)}`
  return `${body}_${checksum(body)}`
}

/** Parses a token without a database query. Returns undefined if the format or the checksum is wrong. */
export function parseToken(text: string): ParsedToken | undefined {
  const prefix = TOKEN_FORMAT.exec(text)?.[1]
  const end = text.length - CHECKSUM_LENGTH
  if (!prefix || checksum(text.slice(0, end - 1)) !== text.slice(end)) return undefined
  return { prefix, hash: hash('sha256', text, 'buffer') }
}

/** Returns uniformly distributed characters: rejects bytes beyond the largest multiple of 62. */
function randomText(length: number): string {
  const limit = 256 - (256 % ALPHABET.length)
  let text = ''
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < limit && text.length < length) text += ALPHABET[byte % ALPHABET.length]
    }
  }
  return text
}

function checksum(body: string): string {
  let rest = crc32(body)
  let digits = ''
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = ALPHABET[rest % ALPHABET.length] + digits
    rest = Math.floor(rest / ALPHABET.length)
  }
  return digits
}
