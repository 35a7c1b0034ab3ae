import { getPublicUrl } from '../../../kernel/config.ts'
import type { App } from '../../../kernel/context.ts'
import { decryptToken, encryptToken, type Keys } from '../../../kernel/crypto.ts'

/** Who asks to hear no more, and which message they have in hand. */
export type Unsubscriber = { accountId: string; emailMessageId: string; email: string }

export type UnsubscribeLink = { token: string; url: string }

const PURPOSE = 'unsubscribe v1'
const ID_LENGTH = 22

/**
 * A link that works without a sign-in for as long as the secret is kept, also when campaign and message are gone: its
 * token holds everything that an opt-out needs. Nobody else can make one, or read the address in it.
 */
export function unsubscribeLink(
  { keys, config }: Pick<App, 'keys' | 'config'>,
  { accountId, emailMessageId, email }: Unsubscriber,
): UnsubscribeLink {
  const token = encryptToken(keys, PURPOSE, shortId(accountId) + shortId(emailMessageId) + email)
  return { token, url: `${getPublicUrl(config)}/u/${token}` }
}

/** Undefined for anything but a whole token of ours. */
export function readUnsubscribeToken(keys: Keys, token: string): Unsubscriber | undefined {
  const text = decryptToken(keys, PURPOSE, token)
  if (text === undefined) return undefined
  return {
    accountId: longId(text.slice(0, ID_LENGTH)),
    emailMessageId: longId(text.slice(ID_LENGTH, 2 * ID_LENGTH)),
    email: text.slice(2 * ID_LENGTH),
  }
}

const shortId = (id: string): string => Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url')

const longId = (short: string): string =>
  Buffer.from(short, 'base64url')
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
