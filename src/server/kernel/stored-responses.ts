import type { Context } from './context.ts'
import { decryptToken, encryptToken } from './crypto.ts'

type Owner = Pick<Context, 'app' | 'accountId' | 'userId'> & { key: string }

/** Replaces a stored response about a person who was erased. */
export const ERASED_RESPONSE = 'erased'

/**
 * Returns the location used in the encryption. Responses are encrypted because some contain a secret that is shown only
 * once.
 */
const toLocation = ({ accountId, userId, key }: Owner): string => `idempotency ${accountId} ${userId} ${key}`

export const encryptResponse = (owner: Owner, response: string): string =>
  encryptToken(owner.app.keys, toLocation(owner), response)

/** Returns undefined when the response was erased or encrypted with a different secret. */
export const decryptResponse = (owner: Owner, response: string): string | undefined =>
  decryptToken(owner.app.keys, toLocation(owner), response)
