import { createHash } from 'node:crypto'
import type { Context } from './kernel/context.ts'
import { AppError, conflict } from './kernel/errors.ts'
import { decryptAnswer, ERASED_ANSWER, encryptAnswer } from './kernel/stored-answers.ts'

/** The key of a request, and a hash that tells other requests with the same key apart. */
export type IdempotencyKey = { key: string; hash: Buffer }

/**
 * Returns undefined for a request without a key. The hash covers the token or session, because a result may hold a secret
 * that a request with another token must not see.
 */
export const toIdempotencyKey = (
  { actor }: Context,
  { name, input, idempotencyKey }: { name: string; input: unknown; idempotencyKey?: string | undefined },
): IdempotencyKey | undefined =>
  idempotencyKey === undefined
    ? undefined
    : {
        key: idempotencyKey,
        hash: createHash('sha256')
          .update(`${actor}\0${name}\0${JSON.stringify(input)}`)
          .digest(),
      }

/** Finds the stored result. Throws 409 while the first request still runs, which holds an advisory lock. */
export async function findAnswer(ctx: Context, { key, hash }: IdempotencyKey): Promise<string | undefined> {
  const [lock] = await ctx.sql<{ isFree: boolean }[]>`
    select pg_try_advisory_xact_lock(hashtextextended(${`${ctx.accountId} ${ctx.userId} ${key}`}, 1)) as "isFree"`
  if (!lock?.isFree)
    throw conflict('The first request with this Idempotency-Key is still running. Try again in a moment.')
  const [row] = await ctx.sql<{ request_hash: Buffer; answer: string }[]>`
    select request_hash, answer
      from idempotency_keys
     where account_id = ${ctx.accountId} and user_id = ${ctx.userId} and key = ${key}
       and created_at > now() - interval '24 hours'`
  if (!row) return undefined
  if (!hash.equals(row.request_hash)) {
    throw new AppError(
      'IdempotencyMismatch',
      'This Idempotency-Key was used for another request, or with another token or session. Use a new key.',
    )
  }
  if (row.answer === ERASED_ANSWER)
    throw conflict(
      'The first request with this Idempotency-Key succeeded, but its response was about a person who was erased since.',
    )
  const answer = decryptAnswer({ ...ctx, key }, row.answer)
  if (answer === undefined)
    throw conflict('The response to this Idempotency-Key was stored under another secret of this server.')
  return answer
}

/** Stores the result for a day, and deletes older ones of the account. */
export const storeAnswer = (ctx: Context, { key, hash }: IdempotencyKey, answer: string) => ctx.sql`
  with forgotten as (
    delete from idempotency_keys
     where account_id = ${ctx.accountId} and created_at < now() - interval '24 hours'
       and (user_id, key) <> (${ctx.userId}::uuid, ${key}))
  insert into idempotency_keys (account_id, user_id, key, request_hash, answer)
  values (${ctx.accountId}, ${ctx.userId}, ${key}, ${hash},
          ${encryptAnswer({ ...ctx, key }, answer)})
  on conflict (account_id, user_id, key)
  do update set request_hash = excluded.request_hash, answer = excluded.answer, created_at = now()`
