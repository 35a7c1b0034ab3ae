import { randomUUIDv7 } from 'node:crypto'
import type { Input, Output } from '../../../../contract/index.ts'
import type { Context } from '../../../kernel/context.ts'
import type { Fragment, Sql } from '../../../kernel/db/database.ts'
import { jsonObject, timestamp, uuid } from '../../../kernel/db/json-object.ts'
import { notFound } from '../../../kernel/errors.ts'
import { findJson, type Json } from '../../../kernel/json.ts'
import { afterCursor, listPage, orderAndLimit } from '../../../kernel/page.ts'
import { audit } from '../../accounts/audit-log.ts'
import { selectMember } from '../../accounts/select-member.ts'
import { getPerson } from '../persons/persons.ts'

const noteJson = (sql: Sql): Fragment => sql`
  ${jsonObject({
    id: uuid('n.id'),
    objectType: 'note',
    createdAt: timestamp('n.created_at'),
    updatedAt: timestamp('n.updated_at'),
    personId: uuid('n.person_id'),
    text: sql`n.text`,
    authorId: uuid('n.author_id'),
    author: sql.unsafe(selectMember('name', 'n.account_id', 'n.author_id')),
  })} as json`

export async function listNotes(ctx: Context, input: Input<'listNotes'>): Promise<Json<Output<'listNotes'>>> {
  await getPerson(ctx, input)
  return listPage(ctx, 'listNotes', input, page => {
    const { sql } = ctx
    const { personId, query } = page.filters
    return sql`
      select n.id, api_time(n.created_at) as at, ${noteJson(sql)}
        from notes n
       where n.account_id = s.account_id and n.person_id = ${personId}
         ${query ? sql`and search_key(n.text) like all ((select word_patterns(${query}))::text[])` : sql``}
         ${afterCursor(sql, page, 'n.created_at', 'n.id')}
         ${orderAndLimit(sql, page, 'n.created_at', 'n.id')}`
  })
}

export async function createNote(
  ctx: Context,
  { personId, text }: Input<'createNote'>,
): Promise<Json<Output<'createNote'>>> {
  const noteId = randomUUIDv7()
  const { count } = await ctx.sql`
    insert into notes (account_id, id, person_id, text, author_id)
    select account_id, ${noteId}, id, ${text}, ${ctx.userId}
      from persons
     where account_id = ${ctx.accountId} and id = ${personId} and erased_at is null
       for share`
  if (count === 0) throw notFound('person')
  await audit(ctx, 'create', 'note', noteId)
  return getNote(ctx, noteId)
}

export async function updateNote(
  ctx: Context,
  { noteId, text }: Input<'updateNote'>,
): Promise<Json<Output<'updateNote'>>> {
  const { count } = await ctx.sql`
    update notes set text = ${text}, updated_at = now() where account_id = ${ctx.accountId} and id = ${noteId}`
  if (count === 0) throw notFound('note')
  await audit(ctx, 'update', 'note', noteId)
  return getNote(ctx, noteId)
}

export async function deleteNote(
  ctx: Context,
  { noteId }: Input<'deleteNote'>,
): Promise<Output<'deleteNote'>> {
  const { count } = await ctx.sql`delete from notes where account_id = ${ctx.accountId} and id = ${noteId}`
  if (count === 0) throw notFound('note')
  await audit(ctx, 'delete', 'note', noteId)
  return { ok: true }
}

const getNote = (ctx: Context, noteId: string): Promise<Json<Output<'createNote'>>> =>
  findJson(
    ctx,
    'note',
    ctx.sql`select ${noteJson(ctx.sql)} from notes n where n.account_id = s.account_id and n.id = ${noteId}`,
  )
