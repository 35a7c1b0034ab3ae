import { createHash } from 'node:crypto'
import { type Context, inAccount } from './kernel/context.ts'
import { AppError, conflict } from './kernel/errors.ts'
import { decryptResponse, ERASED_RESPONSE, encryptResponse } from './kernel/stored-responses.ts'

/** The key of a request, and a hash that distinguishes it from other requests with the same key. */
export type IdempotencyKey = { key: string; hash: Buffer }

/**
 * Returns the key and hash of a request; undefined for a request without a key. The hash covers the token or session,
 * because a response may contain a secret that a request with another token must not see.
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

/** Longer than any request takes. After a crash, the key becomes usable again once this time has passed. */
const MAX_RUN_SECONDS = 120

const conflictWhileRunning = () => {
  const message = 'The first request with this Idempotency-Key is still running. Try again in a moment.'
  return new AppError('Conflict', message, {
    details: [{ path: 'Idempotency-Key', message }],
    retryAfterSeconds: 1,
  })
}

/**
 * Finds the stored response. Throws Conflict while the first request is still running: a transaction then holds an
 * advisory lock, and work outside a transaction has reserved the key. Also throws Conflict if the first request took
 * effect but ended before its response was complete.
 */
export async function findStoredResponse(
  ctx: Context,
  { key, hash }: IdempotencyKey,
): Promise<string | undefined> {
  const [lock] = await ctx.sql<{ isFree: boolean }[]>`
    select pg_try_advisory_xact_lock(hashtextextended(${`${ctx.accountId} ${ctx.userId} ${key}`}, 1)) as "isFree"`
  if (!lock?.isFree) throw conflictWhileRunning()
  const [row] = await ctx.sql<
    { requestHash: Buffer; response: string | null; isRunning: boolean; isComplete: boolean }[]
  >`
    select request_hash as "requestHash", response, coalesce(running_until > now(), false) as "isRunning",
           running_until is null as "isComplete"
      from idempotency_keys
     where account_id = ${ctx.accountId} and user_id = ${ctx.userId} and key = ${key}
       and created_at > now() - interval '24 hours'`
  if (!row || (row.response === null && !row.isRunning)) return undefined
  if (!hash.equals(row.requestHash)) {
    throw new AppError(
      'IdempotencyMismatch',
      'This Idempotency-Key was used for another request, or with another token or session. Use a new key.',
    )
  }
  if (row.response === null || row.isRunning) throw conflictWhileRunning()
  if (!row.isComplete)
    throw conflict(
      'The first request with this Idempotency-Key took effect, but its response was lost. Check the result before you repeat the request with a new key.',
    )
  if (row.response === ERASED_RESPONSE)
    throw conflict(
      'The first request with this Idempotency-Key succeeded, but its response was about a person who has since been erased.',
    )
  const response = decryptResponse({ ...ctx, key }, row.response)
  if (response === undefined)
    throw conflict('The response to this Idempotency-Key was encrypted with a different server secret.')
  return response
}

/** Runs work outside a transaction, once per key. If it fails, the key can be used again. */
export async function runOnce(
  ctx: Context,
  key: IdempotencyKey | undefined,
  work: () => Promise<string>,
): Promise<{ text: string; isReplay: boolean }> {
  if (!key) return { text: await work(), isReplay: false }
  const inTransaction = <T>(work: (tx: Context) => Promise<T>) =>
    inAccount(ctx.app.db.app, ctx.accountId, sql => work({ ...ctx, sql }))
  const earlier = await inTransaction(async tx => {
    const response = await findStoredResponse(tx, key)
    if (response === undefined) await reserveKey(tx, key)
    return response
  })
  if (earlier !== undefined) return { text: earlier, isReplay: true }
  let text: string
  try {
    text = await work()
  } catch (error) {
    await inTransaction(tx => releaseKey(tx, key))
    throw error
  }
  await inTransaction(tx => storeResponse(tx, key, text))
  return { text, isReplay: false }
}

/** Reserves the key for a request that runs outside a transaction. */
const reserveKey = (ctx: Context, key: IdempotencyKey) => storeKey(ctx, key, null, true)

/** Makes the key usable again after a request that failed. */
const releaseKey = (ctx: Context, { key, hash }: IdempotencyKey) => ctx.sql`
  delete from idempotency_keys
   where account_id = ${ctx.accountId} and user_id = ${ctx.userId} and key = ${key}
     and request_hash = ${hash} and response is null`

/**
 * Stores the response for a day, and deletes the account's expired responses. While the request `isRunning`, the
 * response is not yet complete.
 */
export const storeResponse = (ctx: Context, key: IdempotencyKey, response: string, isRunning = false) =>
  storeKey(ctx, key, encryptResponse({ ...ctx, key: key.key }, response), isRunning)

const storeKey = (
  ctx: Context,
  { key, hash }: IdempotencyKey,
  response: string | null,
  isRunning: boolean,
) => ctx.sql`
  with expired as (
    delete from idempotency_keys
     where account_id = ${ctx.accountId} and created_at < now() - interval '24 hours'
       and (user_id, key) <> (${ctx.userId}::uuid, ${key}))
  insert into idempotency_keys (account_id, user_id, key, request_hash, response, running_until)
  values (${ctx.accountId}, ${ctx.userId}, ${key}, ${hash}, ${response},
          ${isRunning ? ctx.sql`now() + ${MAX_RUN_SECONDS} * interval '1 second'` : null})
  on conflict (account_id, user_id, key)
  do update set request_hash = excluded.request_hash, response = excluded.response,
                running_until = excluded.running_until, created_at = now()`
