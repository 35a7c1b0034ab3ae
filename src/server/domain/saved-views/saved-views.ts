import { randomUUIDv7 } from 'node:crypto'
import type { Input, Output } from '../../../contract/index.ts'
import { maxSavedViews } from '../../../contract/saved-views.ts'
import { authorize, type Context } from '../../kernel/context.ts'
import { type Fragment, pipeline, type Sql } from '../../kernel/db/database.ts'
import { conflict, notFound } from '../../kernel/errors.ts'
import { findJson, type Json, verbatimField } from '../../kernel/json.ts'
import { afterCursor, listPage, orderAndLimit } from '../../kernel/page.ts'
import { audit } from '../accounts/audit-log.ts'
import { asUser } from '../accounts/users.ts'

// Row-level security hides the views of other users, so writes identify their user with `asUser`.

type SavedView = Output<'createSavedView'>

const viewJson = (sql: Sql): Fragment => sql`
  (jsonb_build_object(
     'id', v.id,
     'objectType', 'saved_view',
     'createdAt', api_time(v.created_at),
     'updatedAt', api_time(v.updated_at),
     'kind', v.kind,
     'name', v.name,
     'isShared', v.owner_id is null,
     'filters', v.filters)
   || ${verbatimField(sql, 'columns', sql`to_jsonb(v.columns)`)})::text as json`

export const listSavedViews = (
  ctx: Context,
  input: Input<'listSavedViews'>,
): Promise<Json<Output<'listSavedViews'>>> =>
  listPage(ctx, 'listSavedViews', input, page => {
    const { sql } = ctx
    const { kind, isShared } = page.filters
    return sql`
      select v.id, api_time(v.created_at) as at, ${viewJson(sql)}
        from saved_views v
       where v.account_id = s.account_id
         and ${isOwnOrShared(ctx, isShared)}
         ${kind ? sql`and v.kind = ${kind}` : sql``}
         ${afterCursor(sql, page, 'v.created_at', 'v.id')}
         ${orderAndLimit(sql, page, 'v.created_at', 'v.id')}`
  })

const isOwnOrShared = ({ sql, userId }: Context, isShared?: boolean): Fragment => {
  const [shared, own] = [sql`v.owner_id is null`, sql`v.owner_id = ${userId}`]
  return isShared === undefined ? sql`(${shared} or ${own})` : isShared ? shared : own
}

const findSavedView = (ctx: Context, savedViewId: string): Promise<Json<SavedView>> =>
  findJson(
    ctx,
    'saved view',
    ctx.sql`select ${viewJson(ctx.sql)} from saved_views v where v.account_id = s.account_id and v.id = ${savedViewId}`,
  )

export async function createSavedView(
  ctx: Context,
  { kind, name, filters, columns, isShared = false }: Input<'createSavedView'>,
): Promise<Json<SavedView>> {
  const { sql, accountId } = ctx
  await asUser(ctx)
  const ownerId = await getNewOwner(ctx, isShared)
  const savedViewId = randomUUIDv7()
  await writeWithUniqueName(
    name,
    sql`
      insert into saved_views (account_id, id, owner_id, kind, name, filters, columns)
      values (${accountId}, ${savedViewId}, ${ownerId}, ${kind}, ${name}, ${sql.json(filters)}, ${columns ?? null})`,
  )
  await audit(ctx, 'create', 'saved_view', savedViewId)
  return findSavedView(ctx, savedViewId)
}

export async function updateSavedView(
  ctx: Context,
  { savedViewId, name, filters, columns, isShared }: Input<'updateSavedView'>,
): Promise<Json<SavedView>> {
  const { sql, accountId } = ctx
  const before = await lockSavedView(ctx, savedViewId)
  const isMoved = isShared !== undefined && isShared !== (before.ownerId === null)
  const changes = {
    ...(name !== undefined && { name }),
    ...(filters && { filters: sql.json(filters) }),
    ...(columns !== undefined && { columns }),
    ...(isMoved && { owner_id: await getNewOwner(ctx, isShared) }),
    updated_at: sql`now()`,
  }
  await writeWithUniqueName(
    name ?? before.name,
    sql`update saved_views set ${sql.assignments(changes)} where account_id = ${accountId} and id = ${savedViewId}`,
  )
  await audit(ctx, 'update', 'saved_view', savedViewId)
  return findSavedView(ctx, savedViewId)
}

export async function deleteSavedView(
  ctx: Context,
  { savedViewId }: Input<'deleteSavedView'>,
): Promise<Output<'deleteSavedView'>> {
  await lockSavedView(ctx, savedViewId)
  await ctx.sql`delete from saved_views where account_id = ${ctx.accountId} and id = ${savedViewId}`
  await audit(ctx, 'delete', 'saved_view', savedViewId)
  return { ok: true }
}

/** Renames a tag in the filters of all views of the account. */
export async function renameTagInSavedViews(
  ctx: Context,
  { from, to }: { from: string; to: string },
): Promise<void> {
  const { sql, accountId } = ctx
  const members = await sql<{ userId: string }[]>`
    select user_id as "userId" from members where account_id = ${accountId}`
  const rename = () => sql`
    update saved_views
       set filters = jsonb_set(filters, '{tag}', to_jsonb(${to}::text)), updated_at = now()
     where account_id = ${accountId} and lower(normalize(filters ->> 'tag')) = lower(${from})`
  await pipeline(...members.flatMap(({ userId }) => [asUser({ ...ctx, userId }), rename()]), asUser(ctx))
}

/** Locks a view for a change. Throws when the caller can't see or change it. */
async function lockSavedView(
  ctx: Context,
  savedViewId: string,
): Promise<{ ownerId: string | null; name: string }> {
  await asUser(ctx)
  const [view] = await ctx.sql<{ ownerId: string | null; name: string }[]>`
    select owner_id as "ownerId", name
      from saved_views where account_id = ${ctx.accountId} and id = ${savedViewId} for update`
  if (!view) throw notFound('saved view')
  if (view.ownerId === null) authorize(ctx, 'Campaign.EditCampaign')
  return view
}

/** Returns the owner of a new view. Throws when the caller may not share it, or the view limit is reached. */
async function getNewOwner(ctx: Context, isShared: boolean): Promise<string | null> {
  const { sql, accountId, userId } = ctx
  if (isShared) authorize(ctx, 'Campaign.EditCampaign')
  const ownerId = isShared ? null : userId
  // Serializes creations, so that the number of views stays within the limit.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`saved views ${accountId} ${ownerId}`}, 0))`
  const [found] = await sql<{ count: number }[]>`
    select count(*)::int as count
      from saved_views v where v.account_id = ${accountId} and ${isOwnOrShared(ctx, isShared)}`
  if (found!.count >= maxSavedViews)
    throw conflict(
      isShared
        ? `The account already has ${maxSavedViews} shared views. Delete one that isn't used.`
        : `You already have ${maxSavedViews} saved views. Delete one that you don't use.`,
    )
  return ownerId
}

/** Runs the write. Throws Conflict when another view has the name. */
async function writeWithUniqueName(name: string, write: PromiseLike<unknown>): Promise<void> {
  try {
    await write
  } catch (error) {
    if ((error as { constraint?: string }).constraint === 'saved_views_name_key')
      throw conflict(`A view named ${name} already exists.`)
    throw error
  }
}
