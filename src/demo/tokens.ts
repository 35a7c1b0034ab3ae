import { join } from 'node:path'
import { createApiToken, listApiTokens, parseToken } from '../server/domain/auth/stored-api-tokens.ts'
import type { Sql } from '../server/kernel/db/database.ts'
import { users } from './accounts.ts'
import { readKept, writeKept } from './kept-file.ts'
import { userIdOf } from './teller.ts'

/** By address. */
export type Tokens = Record<string, string>

/**
 * A token of each user. They are kept in a file of the demo's folder (0600), because what the database knows of
 * them can't be printed, and a command copied yesterday should work today. One that was revoked is replaced.
 */
export async function keepTokens(auth: Sql, dataDir: string): Promise<Tokens> {
  const path = join(dataDir, 'demo-tokens.json')
  const [kept = {}, stored] = await Promise.all([readKept<Tokens>(path), listApiTokens(auth)])
  const valid = new Set(stored.filter(token => !token.revokedAt).map(token => token.prefix))
  const missing = users.filter(({ email }) => !valid.has(parseToken(kept[email] ?? '')?.prefix ?? ''))
  if (missing.length === 0) return kept
  const made = await Promise.all(
    missing.map(async ({ email }) => {
      const { token } = await createApiToken(auth, { userId: userIdOf(email), name: 'Demo' })
      return [email, token] as const
    }),
  )
  const tokens = { ...kept, ...Object.fromEntries(made) }
  await writeKept(path, tokens)
  return tokens
}
