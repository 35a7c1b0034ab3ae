import { createHmac } from 'node:crypto'
import type { App, Context } from '../../../kernel/context.ts'
import type { Fragment, Sql } from '../../../kernel/db/database.ts'

/** An account's Do Not Contact list, with the keys needed to find erased people on it. */
export type OptOutList = Pick<Context, 'sql' | 'accountId'> & { app: Pick<App, 'keys'> }

const BLOCK_BYTES = 64

/**
 * Returns the hash that replaces an identifier of an erased person on the Do Not Contact list: an HMAC whose key isn't
 * in the database. Null for kinds that don't identify a person. Compute it in a subselect with `offset 0`: under
 * row-level security an index condition can't contain a function.
 */
export function hashIdentifier(
  sql: Sql,
  { keys }: Pick<App, 'keys'>,
  { accountId, kind, value }: { accountId: Fragment; kind: Fragment; value: Fragment },
): Fragment {
  const key = createHmac('sha256', keys.signing).update('overture erased identifiers v1').digest()
  return sql`erased_identifier(${pad(key, 0x5c)}::bytea, ${pad(key, 0x36)}::bytea, ${accountId}, ${kind}, ${value})`
}

/** Returns the key as HMAC applies it to the inner or outer hash (RFC 2104). */
const pad = (key: Buffer, byte: number): Buffer =>
  Buffer.alloc(BLOCK_BYTES, byte).map((each, index) => each ^ (key[index] ?? 0)) as Buffer
