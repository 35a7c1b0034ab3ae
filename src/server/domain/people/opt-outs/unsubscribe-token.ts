import { getPublicUrl } from '../../../kernel/config.ts'
import { type App, inAccount } from '../../../kernel/context.ts'
import {
  decryptId,
  decryptToken,
  encryptId,
  encryptToken,
  type Keys,
  toUuid,
} from '../../../kernel/crypto.ts'

/** The recipient who unsubscribes, and the message that the link was in. */
export type Unsubscriber = { accountId: string; emailMessageId: string; email: string }

/** The recipient of an email with a link in its text; the address is undefined after the recipient was erased. */
export type LinkRecipient = Omit<Unsubscriber, 'email'> & { email: string | undefined }

export type UnsubscribeLink = { token: string; url: string }

/** The token in previews and test emails, whose links opt nobody out. */
export const PREVIEW_TOKEN = 'preview'

const PURPOSE = 'unsubscribe v1'
const SHORT_PURPOSE = 'unsubscribe short v1'
const ID_LENGTH = 22

export const getUnsubscribeUrl = ({ config }: Pick<App, 'config'>, token: string): string =>
  `${getPublicUrl(config)}/u/${token}`

/**
 * Creates a link for the email's header that works without a sign-in, even after the campaign and the message were
 * deleted, because its token contains everything an opt-out needs. The token is encrypted, so nobody else can create
 * one or read the address in it.
 */
export function createUnsubscribeLink(
  app: Pick<App, 'keys' | 'config'>,
  { accountId, emailMessageId, email }: Unsubscriber,
): UnsubscribeLink {
  const token = encryptToken(app.keys, PURPOSE, toShortId(accountId) + toShortId(emailMessageId) + email)
  return { token, url: getUnsubscribeUrl(app, token) }
}

/**
 * Creates the URL in the email's text, which is short because people see it. It works as long as the account exists.
 */
export const createShortUnsubscribeUrl = (
  app: Pick<App, 'keys' | 'config'>,
  { accountNumber, emailMessageId }: { accountNumber: number; emailMessageId: string },
): string => getUnsubscribeUrl(app, encryptId(app.keys, SHORT_PURPOSE, { id: emailMessageId, accountNumber }))

/** Decrypts the token of a link in a header; returns undefined if it is invalid. */
export function parseUnsubscribeToken(keys: Keys, token: string): Unsubscriber | undefined {
  const text = decryptToken(keys, PURPOSE, token)
  if (text === undefined) return undefined
  return {
    accountId: toLongId(text.slice(0, ID_LENGTH)),
    emailMessageId: toLongId(text.slice(ID_LENGTH, 2 * ID_LENGTH)),
    email: text.slice(2 * ID_LENGTH),
  }
}

/** Finds the recipient of a link, long or short; returns undefined if it is invalid. */
export async function findLinkRecipient(
  app: Pick<App, 'keys' | 'db'>,
  token: string,
): Promise<LinkRecipient | undefined> {
  const short = decryptId(app.keys, SHORT_PURPOSE, token)
  if (!short) return parseUnsubscribeToken(app.keys, token)
  const { id: emailMessageId, accountNumber } = short
  const [account] = await app.db.auth<
    { id: string }[]
  >`select id from accounts where number = ${accountNumber}::bigint`
  if (!account) return undefined
  return inAccount(app.db.app, account.id, async sql => {
    const [message] = await sql<{ email: string | null }[]>`
      select recipients #>> '{to,0,email}' as email
        from email_messages
       where account_id = current_account_id() and id = ${emailMessageId} and type = 'campaign'`
    return message && { accountId: account.id, emailMessageId, email: message.email ?? undefined }
  })
}

const toShortId = (id: string): string => Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url')

const toLongId = (short: string): string => toUuid(Buffer.from(short, 'base64url'))
