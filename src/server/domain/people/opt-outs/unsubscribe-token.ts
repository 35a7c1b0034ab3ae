import { getPublicUrl } from '../../../kernel/config.ts'
import type { App } from '../../../kernel/context.ts'
import { decryptToken, encryptToken, type Keys } from '../../../kernel/crypto.ts'

/** The recipient who unsubscribes, and the message that the link was in. */
export type Unsubscriber = { accountId: string; emailMessageId: string; email: string }

export type UnsubscribeLink = { token: string; url: string }

/** In the links of previews and test emails, which opt nobody out. */
export const PREVIEW_TOKEN = 'preview'

const PURPOSE = 'unsubscribe v1'
const ID_LENGTH = 22

/**
 * Creates a link that works without a sign-in, even after campaign and message were deleted: its token includes
 * everything an opt-out needs. The token is encrypted, so nobody else can create one or read the address in it.
 */
export function createUnsubscribeLink(
  { keys, config }: Pick<App, 'keys' | 'config'>,
  { accountId, emailMessageId, email }: Unsubscriber,
): UnsubscribeLink {
  const token = encryptToken(keys, PURPOSE, toShortId(accountId) + toShortId(emailMessageId) + email)
  return { token, url: `${getPublicUrl(config)}/u/${token}` }
}

/** Undefined for an invalid token. */
export function parseUnsubscribeToken(keys: Keys, token: string): Unsubscriber | undefined {
  const text = decryptToken(keys, PURPOSE, token)
  if (text === undefined) return undefined
  return {
    accountId: toLongId(text.slice(0, ID_LENGTH)),
    emailMessageId: toLongId(text.slice(ID_LENGTH, 2 * ID_LENGTH)),
    email: text.slice(2 * ID_LENGTH),
  }
}

const toShortId = (id: string): string => Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url')

const toLongId = (short: string): string =>
  Buffer.from(short, 'base64url')
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
