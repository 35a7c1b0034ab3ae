import { randomUUIDv7 } from 'node:crypto'
import type { Input, Output } from '../../../contract/index.ts'
import { authorize, type Context } from '../../kernel/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { jsonObject, timestamp, uuid } from '../../kernel/db/json-object.ts'
import { invalid, notFound, outOfScope } from '../../kernel/errors.ts'
import { findJson, type Json } from '../../kernel/json.ts'
import { afterCursor, listPage, orderAndLimit } from '../../kernel/page.ts'
import { detectBodyFormat, toSafeHtml } from '../../protocols/mime/body.ts'
import { stripTags } from '../../protocols/mime/strip-tags.ts'
import { audit } from '../accounts/audit-log.ts'

const repJson = (sql: Sql): Fragment => sql`
  ${jsonObject({
    id: uuid('r.id'),
    objectType: 'rep',
    createdAt: timestamp('r.created_at'),
    updatedAt: timestamp('r.updated_at'),
    name: sql`r.name`,
    ownedById: uuid('r.owned_by_id'),
    email: sql`(select b.email
                from mailboxes b
               where b.account_id = r.account_id and b.rep_id = r.id and b.removed_at is null
               order by b.created_at, b.id
               limit 1)`,
    signature: sql`r.signature`,
  })} as json`

export const listReps = (ctx: Context, input: Input<'listReps'>): Promise<Json<Output<'listReps'>>> =>
  listPage(
    ctx,
    'listReps',
    input,
    page => ctx.sql`
      select r.id, api_time(r.created_at) as at, ${repJson(ctx.sql)}
        from reps r
       where r.account_id = s.account_id
         ${afterCursor(ctx.sql, page, 'r.created_at', 'r.id')}
         ${orderAndLimit(ctx.sql, page, 'r.created_at', 'r.id')}`,
  )

export const getRep = (ctx: Context, { repId }: Input<'getRep'>): Promise<Json<Output<'getRep'>>> =>
  findJson(
    ctx,
    'rep',
    ctx.sql`select ${repJson(ctx.sql)} from reps r where r.account_id = s.account_id and r.id = ${repId}`,
  )

export async function createRep(ctx: Context, input: Input<'createRep'>): Promise<Json<Output<'createRep'>>> {
  const repId = randomUUIDv7()
  const ownedById = await resolveOwnerId(ctx, input.ownedById ?? ctx.userId)
  const signature = input.signature ? await toSafeSignature(ctx, input.signature) : null
  await ctx.sql`
    insert into reps (account_id, id, name, owned_by_id, signature)
    values (${ctx.accountId}, ${repId}, ${input.name}, ${ownedById}, ${signature})`
  await audit(ctx, 'create', 'rep', repId)
  return getRep(ctx, { repId })
}

export async function updateRep(
  ctx: Context,
  { repId, name, ownedById, signature: newSignature }: Input<'updateRep'>,
  retryIncompleteProspects: (ctx: Context, repId: string) => PromiseLike<unknown>,
): Promise<Json<Output<'updateRep'>>> {
  await lockEditableRep(ctx, repId)
  const signature = newSignature ? await toSafeSignature(ctx, newSignature) : newSignature
  const owner = ownedById === undefined ? null : await resolveOwnerId(ctx, ownedById)
  await ctx.sql`
    update reps
       set name = coalesce(${name ?? null}, name), owned_by_id = coalesce(${owner}, owned_by_id),
           signature = ${signature === undefined ? ctx.sql`signature` : signature}, updated_at = now()
     where account_id = ${ctx.accountId} and id = ${repId}`
  if (signature) await retryIncompleteProspects(ctx, repId)
  await audit(ctx, 'update', 'rep', repId)
  return getRep(ctx, { repId })
}

/**
 * Locks the rep for update. Throws `notFoundError` if the rep doesn't exist, and Forbidden if the rep is outside the
 * caller's scope.
 */
export async function lockEditableRep(
  ctx: Context,
  repId: string,
  notFoundError = notFound('rep'),
): Promise<void> {
  const [rep] = await ctx.sql<{ owned_by_id: string | null }[]>`
    select owned_by_id from reps where account_id = ${ctx.accountId} and id = ${repId} for no key update`
  if (!rep) throw notFoundError
  if (authorize(ctx, 'Rep.EditRep') === 'own' && rep.owned_by_id !== ctx.userId)
    throw outOfScope('Rep.EditRep', 'this rep is not one of them')
}

/** Keeps these reps from being changed until the transaction ends, and waits for changes in progress. */
export const lockRepsForShare = (tx: Sql, ids: readonly string[]) => tx`
  select from reps
   where account_id = current_account_id() and id = any(${[...ids]}::uuid[])
   order by id
     for share`

/**
 * Removes from HTML everything that could run, or load anything but images; returns null if nothing is left. Keeps
 * plain text as is.
 */
async function toSafeSignature({ accountId }: Context, signature: string): Promise<string | null> {
  if (detectBodyFormat(signature) === 'text') return signature
  return ((await toSafeHtml(signature, accountId)) ?? stripTags(signature)).trim() || null
}

async function resolveOwnerId(ctx: Context, userId: string): Promise<string> {
  if (authorize(ctx, 'Rep.EditRep') === 'own' && userId !== ctx.userId)
    throw outOfScope('Rep.EditRep', 'this rep would belong to another member')
  const [member] = await ctx.sql`
    select from members where account_id = ${ctx.accountId} and user_id = ${userId}`
  if (!member) throw invalid('ownedById', 'must be the ID of a member of this account')
  return userId
}
