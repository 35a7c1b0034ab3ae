import { randomUUIDv7 } from 'node:crypto'
import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { type AppError, conflict, invalid, notFound } from '../../kernel/errors.ts'
import { findJson, type Json } from '../../kernel/json.ts'
import { afterCursor, listPage, orderAndLimit } from '../../kernel/page.ts'
import { audit } from '../accounts/audit-log.ts'
import { lockThreadTags, replaceThreadTag, setThreadTags } from '../messages/email-thread-tags.ts'
import {
  lockConversationTags,
  replaceConversationTag,
  setConversationTags,
} from '../messages/write-linkedin-messages.ts'
import {
  lockPersonTags,
  MAX_TAGS,
  replacePersonTag,
  setPersonTags,
  type TagChange,
} from '../people/persons/person-tags.ts'
import { renameTagInSavedViews } from '../saved-views/saved-views.ts'

const entities = {
  email_thread: { label: 'an email thread', lockTags: lockThreadTags, setTags: setThreadTags },
  linkedin_conversation: {
    label: 'a LinkedIn conversation',
    lockTags: lockConversationTags,
    setTags: setConversationTags,
  },
  person: { label: 'a person', lockTags: lockPersonTags, setTags: setPersonTags },
}

const tagJson = (sql: Sql): Fragment => sql`
  json_build_object(
    'id', g.id,
    'objectType', 'tag',
    'createdAt', api_time(g.created_at),
    'updatedAt', api_time(g.updated_at),
    'name', g.name)::text as json`

export const listTags = (ctx: Context, input: Input<'listTags'>): Promise<Json<Output<'listTags'>>> =>
  listPage(
    ctx,
    'listTags',
    input,
    page => ctx.sql`
      select g.id, api_time(g.created_at) as at,
             ${tagJson(ctx.sql)}
        from tags g
       where g.account_id = s.account_id
         ${afterCursor(ctx.sql, page, 'g.created_at', 'g.id')}
         ${orderAndLimit(ctx.sql, page, 'g.created_at', 'g.id')}`,
  )

export async function assignTags(
  ctx: Context,
  { entityType, entityId, tags }: Input<'assignTags'>,
): Promise<Output<'assignTags'>> {
  const current = await lockTags(ctx, entityType, entityId)
  const all = [...new Set([...current, ...(await ensureTags(ctx, tags))])]
  if (all.length > MAX_TAGS) {
    throw invalid('tags', `must not give ${entities[entityType].label} more than ${MAX_TAGS} tags`)
  }
  if (all.length === current.length) return { tags: all }
  await entities[entityType].setTags(ctx.sql, entityId, all)
  await audit(ctx, 'assign_tags', entityType, entityId)
  return { tags: all }
}

export async function unassignTags(
  ctx: Context,
  { entityType, entityId, tags }: Input<'unassignTags'>,
): Promise<Output<'unassignTags'>> {
  const current = await lockTags(ctx, entityType, entityId)
  const [remaining] = await ctx.sql<{ tags: string[] }[]>`
    select array(select name
                   from unnest(${current}::text[]) with ordinality current_tags(name, position)
                  where lower(name) <> all (select lower(normalize(name)) from unnest(${tags}::text[]) removed(name))
                  order by position) as tags`
  if (remaining!.tags.length === current.length) return remaining!
  await entities[entityType].setTags(ctx.sql, entityId, remaining!.tags)
  await audit(ctx, 'unassign_tags', entityType, entityId)
  return remaining!
}

export async function updateTag(
  ctx: Context,
  { tagId, name }: Input<'updateTag'>,
): Promise<Json<Output<'updateTag'>>> {
  const { sql, accountId } = ctx
  const from = await lockTag(ctx, tagId)
  const to = name.normalize()
  const [other] = await sql<{ name: string }[]>`
    select name from tags where account_id = ${accountId} and name_key = lower(${to}) and id <> ${tagId}`
  if (other) throw tagExists(other.name)
  try {
    await sql`update tags set name = ${to}, updated_at = now() where account_id = ${accountId} and id = ${tagId}`
  } catch (error) {
    // The tag was created after the check.
    throw (error as { constraint?: string }).constraint === 'tags_account_id_name_key_key'
      ? tagExists(to)
      : error
  }
  await replaceEverywhere(ctx, { tagId, from, to })
  await renameTagInSavedViews(ctx, { from, to })
  await audit(ctx, 'update', 'tag', tagId)
  return findJson(
    ctx,
    'tag',
    sql`select ${tagJson(sql)} from tags g where g.account_id = s.account_id and g.id = ${tagId}`,
  )
}

const tagExists = (name: string): AppError => conflict(`The tag ${name} already exists.`)

export async function deleteTag(ctx: Context, { tagId }: Input<'deleteTag'>): Promise<Output<'deleteTag'>> {
  const { sql, accountId } = ctx
  const from = await lockTag(ctx, tagId)
  await replaceEverywhere(ctx, { tagId, from, to: null })
  await sql`delete from tags where account_id = ${accountId} and id = ${tagId}`
  await audit(ctx, 'delete', 'tag', tagId)
  return { ok: true }
}

/** Locks a tag, so that it is not assigned in the meantime, and returns its name. */
async function lockTag({ sql, accountId }: Context, tagId: string): Promise<string> {
  const [tag] = await sql<{ name: string }[]>`
    select name from tags where account_id = ${accountId} and id = ${tagId} for update`
  if (!tag) throw notFound('tag')
  return tag.name
}

/** Replaces or removes the tag on all objects. A trigger updates conversations. */
async function replaceEverywhere({ sql }: Context, change: TagChange): Promise<void> {
  await replacePersonTag(sql, change)
  await replaceThreadTag(sql, change)
  await replaceConversationTag(sql, change)
}

/** Locks and returns the tags. Records that the caller may not read look like records that don't exist. */
async function lockTags(
  ctx: Context,
  entityType: Input<'assignTags'>['entityType'],
  entityId: string,
): Promise<string[]> {
  const { label, lockTags } = entities[entityType]
  const tags = await lockTags(ctx, entityId)
  if (!tags) throw invalid('entityId', `must be the ID of ${label} in this account`)
  return tags
}

/**
 * Returns the names in the account's spelling. Creates missing tags, in a fixed order so that requests can't deadlock.
 */
export async function ensureTags(ctx: Context, names: string[]): Promise<string[]> {
  const { sql, accountId } = ctx
  const wanted = names.map(name => name.normalize())
  await sql`
    insert into tags (account_id, id, name)
    select ${accountId}, id, name
      from unnest(${wanted.map(() => randomUUIDv7())}::uuid[], ${wanted}::text[]) with ordinality t(id, name, position)
     order by lower(name), position
    on conflict (account_id, name_key) do nothing`
  const rows = await sql<{ name: string }[]>`
    select g.name
      from unnest(${wanted}::text[]) with ordinality t(name, position)
      join tags g on g.account_id = ${accountId} and g.name_key = lower(t.name)
     order by t.position
       for key share of g`
  // A tag that was deleted in the meantime is created again.
  return rows.length < names.length ? ensureTags(ctx, names) : rows.map(row => row.name)
}
