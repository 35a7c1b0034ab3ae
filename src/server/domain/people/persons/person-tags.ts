import type { Context } from '../../../kernel/context.ts'
import { currentAccount, type Fragment, pipeline, type Sql } from '../../../kernel/db/database.ts'

/** Maximum number of tags on one object. */
export const MAX_TAGS = 50

/** Locks a person and returns their tags; undefined if the account has no such person. */
export async function lockPersonTags(
  { sql, accountId }: Context,
  personId: string,
): Promise<string[] | undefined> {
  const [person] = await sql<{ tags: string[] }[]>`
    select tags from persons
     where account_id = ${accountId} and id = ${personId} and erased_at is null
       for update`
  return person?.tags
}

/** Renames a tag of persons, or removes it when `to` is null. */
export const replacePersonTag = (tx: Sql, { tagId, from, to }: TagChange): Promise<unknown> =>
  pipeline(
    tx`
      update persons set tags = ${replaceInTags(tx, { from, to })}, updated_at = now()
       where account_id = ${currentAccount(tx)}
         and id in (select id from person_tags where account_id = ${currentAccount(tx)} and tag_id = ${tagId})`,
    tx`
      delete from person_tags
       where account_id = ${currentAccount(tx)} and tag_id = ${tagId} and ${to === null}`,
  )

/** A tag to be renamed or deleted. */
export type TagChange = { tagId: string; from: string; to: string | null }

export const replaceInTags = (tx: Sql, { from, to }: Pick<TagChange, 'from' | 'to'>): Fragment =>
  tx`array_remove(array_replace(tags, ${from}, ${to}::text), null)`

/** Replaces the tags of a person. The names must be spelled as in `tags`. */
export const setPersonTags = (tx: Sql, personId: string, names: string[]): Promise<unknown> =>
  pipeline(
    tx`
      update persons set tags = ${names}, updated_at = now()
       where account_id = ${currentAccount(tx)} and id = ${personId}`,
    tx`delete from person_tags where account_id = ${currentAccount(tx)} and id = ${personId}`,
    insertTags(tx, [personId]),
  )

/**
 * Locks these persons in a fixed order, and returns those who would have more than `MAX_TAGS` tags with the
 * given names.
 */
export async function findOverTagged(
  { sql }: Context,
  personIds: readonly string[],
  names: readonly string[],
): Promise<Set<string>> {
  if (names.length === 0 || personIds.length === 0) return new Set()
  const rows = await sql<{ id: string; tags: string[] }[]>`
    select id, tags from persons
     where account_id = ${currentAccount(sql)} and id = any(${[...personIds]}::uuid[])
     order by id
       for no key update`
  return new Set(rows.filter(({ tags }) => new Set([...tags, ...names]).size > MAX_TAGS).map(({ id }) => id))
}

/**
 * Adds tags to persons, spelled as in `tags`, and returns the IDs of those who lacked one. The caller must exclude the
 * persons that `findOverTagged` returns.
 */
export async function addPersonTags(
  { sql }: Context,
  personIds: readonly string[],
  names: readonly string[],
): Promise<string[]> {
  if (names.length === 0) return []
  const tagged = await sql<{ id: string }[]>`
    update persons p
       set tags = array(select name from unnest(p.tags || ${[...names]}::text[]) with ordinality t(name, position)
                         group by name order by min(position)),
           updated_at = now()
     where account_id = ${currentAccount(sql)} and id = any(${[...personIds]}::uuid[]) and not tags @> ${[...names]}::text[]
    returning id`
  const ids = tagged.map(({ id }) => id)
  await insertTags(sql, ids)
  return ids
}

/** Copies the tags of persons to `person_tags`, from which persons are listed by tag. */
const insertTags = (tx: Sql, personIds: readonly string[]) => tx`
  insert into person_tags (account_id, tag_id, id, created_at)
  select p.account_id, g.id, p.id, p.created_at
    from persons p
    join tags g on g.account_id = p.account_id and g.name = any(p.tags)
   where p.account_id = ${currentAccount(tx)} and p.id = any(${[...personIds]}::uuid[])
  on conflict do nothing`
