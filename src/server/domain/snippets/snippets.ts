import { randomUUIDv7 } from 'node:crypto'
import { templateVariables } from '../../../contract/campaigns.ts'
import type { Input, Output } from '../../../contract/index.ts'
import { maxSnippets } from '../../../contract/snippets.ts'
import { authorize, type Context } from '../../kernel/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { conflict, invalid, notFound } from '../../kernel/errors.ts'
import { findJson, type Json } from '../../kernel/json.ts'
import { afterCursor, isUpdatedSince, listPage, orderAndLimit } from '../../kernel/page.ts'
import { findTemplateError } from '../../protocols/templates/find-template-error.ts'
import { audit } from '../accounts/audit-log.ts'
import { listCustomKeys } from '../people/custom-fields/custom-values.ts'
import { openRenderer } from './render-snippet.ts'

export type Snippet = Output<'getSnippet'>

const snippetJson = (sql: Sql): Fragment => sql`
  json_build_object(
    'id', n.id,
    'objectType', 'snippet',
    'createdAt', api_time(n.created_at),
    'updatedAt', api_time(n.updated_at),
    'name', n.name,
    'text', n.text,
    'isShared', n.owner_id is null)::text as json`

export async function listSnippets(
  ctx: Context,
  input: Input<'listSnippets'>,
): Promise<Output<'listSnippets'>> {
  let filters: Pick<typeof input, 'personId' | 'repId'> = {}
  const { text } = await listPage(ctx, 'listSnippets', input, page => {
    const { sql } = ctx
    const { query, isShared, updatedSince } = page.filters
    filters = page.filters
    const column = updatedSince ? 'updated_at' : 'created_at'
    const order = orderAndLimit(sql, page, `n.${column}`, 'n.id')
    // Reads one index range for the snippets of the account, and one for those of the user.
    const range = (owner: Fragment) => sql`
      (select n.*
         from snippets n
        where n.account_id = s.account_id and n.owner_id ${owner}
          ${query ? sql`and n.search_text like all ((select word_patterns(${query}))::text[])` : sql``}
          ${isUpdatedSince(sql, page, 'n.updated_at')}
          ${afterCursor(sql, page, `n.${column}`, 'n.id')}
          ${order})`
    const [shared, own] = [range(sql`is null`), range(sql`= ${ctx.userId}`)]
    return sql`
      select n.id, api_time(n.${sql.identifier(column)}) as at, ${snippetJson(sql)}
        from (${isShared === undefined ? sql`${shared} union all ${own}` : isShared ? shared : own}) n
       ${order}`
  })
  const page = JSON.parse(text) as Output<'listSnippets'>
  const render = await openRenderer(ctx, filters)
  for (const snippet of page.data) await render(snippet)
  return page
}

export async function getSnippet(ctx: Context, input: Input<'getSnippet'>): Promise<Snippet> {
  const snippet = JSON.parse((await findSnippet(ctx, input.snippetId)).text) as Snippet
  await (await openRenderer(ctx, input))(snippet)
  return snippet
}

const findSnippet = (ctx: Context, snippetId: string): Promise<Json<Snippet>> =>
  findJson(
    ctx,
    'snippet',
    ctx.sql`
      select ${snippetJson(ctx.sql)}
        from snippets n
       where n.account_id = s.account_id and n.id = ${snippetId}
         and (n.owner_id is null or n.owner_id = ${ctx.userId})`,
  )

export async function createSnippet(
  ctx: Context,
  { name, text, isShared = false }: Input<'createSnippet'>,
): Promise<Json<Snippet>> {
  await checkTemplate(ctx, text)
  const ownerId = await getNewOwner(ctx, isShared)
  const snippetId = randomUUIDv7()
  await ctx.sql`
    insert into snippets (account_id, id, owner_id, name, text)
    values (${ctx.accountId}, ${snippetId}, ${ownerId}, ${name}, ${text})`
  await audit(ctx, 'create', 'snippet', snippetId)
  return findSnippet(ctx, snippetId)
}

export async function updateSnippet(
  ctx: Context,
  { snippetId, name, text, isShared }: Input<'updateSnippet'>,
): Promise<Json<Snippet>> {
  const before = await lockSnippet(ctx, snippetId)
  if (text !== undefined) await checkTemplate(ctx, text)
  const isMoved = isShared !== undefined && isShared !== before.isShared
  const ownerId = isMoved ? await getNewOwner(ctx, isShared) : before.ownerId
  await ctx.sql`
    update snippets
       set name = coalesce(${name ?? null}, name), text = coalesce(${text ?? null}, text), owner_id = ${ownerId},
           updated_at = now()
     where account_id = ${ctx.accountId} and id = ${snippetId}`
  await audit(ctx, 'update', 'snippet', snippetId)
  return findSnippet(ctx, snippetId)
}

export async function deleteSnippet(
  ctx: Context,
  { snippetId }: Input<'deleteSnippet'>,
): Promise<Output<'deleteSnippet'>> {
  await lockSnippet(ctx, snippetId)
  await ctx.sql`delete from snippets where account_id = ${ctx.accountId} and id = ${snippetId}`
  await audit(ctx, 'delete', 'snippet', snippetId)
  return { ok: true }
}

/** Locks a snippet for a change. Throws when the caller can't see or change it. */
async function lockSnippet(
  ctx: Context,
  snippetId: string,
): Promise<{ isShared: boolean; ownerId: string | null }> {
  const [snippet] = await ctx.sql<{ ownerId: string | null }[]>`
    select owner_id as "ownerId"
      from snippets
     where account_id = ${ctx.accountId} and id = ${snippetId} and (owner_id is null or owner_id = ${ctx.userId})
       for update`
  if (!snippet) throw notFound('snippet')
  const isShared = snippet.ownerId === null
  if (isShared) authorize(ctx, 'Campaign.EditCampaign')
  return { isShared, ...snippet }
}

/** Returns the owner of a new snippet. Throws when the caller may not share it, or there are too many. */
async function getNewOwner(ctx: Context, isShared: boolean): Promise<string | null> {
  const { sql, accountId, userId } = ctx
  if (isShared) authorize(ctx, 'Campaign.EditCampaign')
  const ownerId = isShared ? null : userId
  // Serializes creations, so that the number of snippets stays within the limit.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`snippets ${accountId} ${ownerId}`}, 0))`
  const [found] = await sql<{ count: number }[]>`
    select count(*)::int as count
      from snippets
     where account_id = ${accountId} and ${isShared ? sql`owner_id is null` : sql`owner_id = ${userId}`}`
  if (found!.count >= maxSnippets)
    throw conflict(
      isShared
        ? `The account already has ${maxSnippets} shared snippets. Delete one that isn't used.`
        : `You already have ${maxSnippets} snippets. Delete one that you don't use.`,
    )
  return ownerId
}

async function checkTemplate(ctx: Context, text: string): Promise<void> {
  const error = findTemplateError(text, [...templateVariables, ...(await listCustomKeys(ctx))])
  if (error) throw invalid('text', error)
}
