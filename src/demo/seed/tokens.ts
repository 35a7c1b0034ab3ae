import { join } from 'node:path'
import { parseToken } from '../../server/domain/auth/api-token-format.ts'
import { createApiToken, listApiTokens } from '../../server/domain/auth/stored-api-tokens.ts'
import type { Sql } from '../../server/kernel/db/database.ts'
import { users } from '../data/accounts.ts'
import { readSecretFile, writeSecretFile } from '../secret-file.ts'
import { getUserId } from './seed-context.ts'

/** API tokens by email address of their user. */
export type Tokens = Record<string, string>

/**
 * Returns an API token for each user. Tokens are stored in a file, because the database has only their hashes and copied
 * commands should keep working after a restart. A revoked token is replaced.
 */
export async function ensureTokens(auth: Sql, dataDir: string): Promise<Tokens> {
  const path = join(dataDir, 'demo-tokens.json')
  const [saved = {}, tokens] = await Promise.all([readSecretFile<Tokens>(path), listApiTokens(auth)])
  const valid = new Set(tokens.filter(token => !token.revokedAt).map(token => token.prefix))
  const missing = users.filter(({ email }) => !valid.has(parseToken(saved[email] ?? '')?.prefix ?? ''))
  if (missing.length === 0) return saved
  const created = await Promise.all(
    missing.map(async ({ email }) => {
      const { token } = await createApiToken(auth, { userId: getUserId(email), name: 'Demo' })
      return [email, token] as const
    }),
  )
  const all = { ...saved, ...Object.fromEntries(created) }
  await writeSecretFile(path, all)
  return all
}
