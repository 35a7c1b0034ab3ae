import type { Context } from './context.ts'
import { decryptToken, encryptToken } from './crypto.ts'

type Owner = Pick<Context, 'app' | 'accountId' | 'userId'> & { key: string }

/** Stands for an answer about a person who was erased. */
export const ERASED_ANSWER = 'erased'

/** Context of the encryption. Answers are stored encrypted, because some show a secret once. */
const toLocation = ({ accountId, userId, key }: Owner): string => `idempotency ${accountId} ${userId} ${key}`

export const encryptAnswer = (owner: Owner, answer: string): string =>
  encryptToken(owner.app.keys, toLocation(owner), answer)

/** Returns undefined when the answer was erased or stored under another secret. */
export const decryptAnswer = (owner: Owner, answer: string): string | undefined =>
  decryptToken(owner.app.keys, toLocation(owner), answer)
