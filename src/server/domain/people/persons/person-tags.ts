import type { Context } from '../../../kernel/context.ts'
import { currentAccount, type Fragment, pipeline, type Sql } from '../../../kernel/db/database.ts'

/** Returns the tags of a person and locks them; undefined when the account has no such person. */
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

/** Renames a tag of persons, or takes it off them when `to` is null. */
export const replacePersonTag = (tx: Sql, { tagId, from, to }: TagChange): Promise<unknown> =>
  pipeline(
    tx`
      update persons set tags = ${replaceIn(tx, { from, to })}, updated_at = now()
       where account_id = ${currentAccount(tx)}
         and id in (select id from person_tags where account_id = ${currentAccount(tx)} and tag_id = ${tagId})`,
    tx`
      delete from person_tags
       where account_id = ${currentAccount(tx)} and tag_id = ${tagId} and ${to === null}`,
  )

/** A tag that gets a new name, or is deleted. */
export type TagChange = { tagId: string; from: string; to: string | null }

export const replaceIn = (tx: Sql, { from, to }: Pick<TagChange, 'from' | 'to'>): Fragment =>
  tx`array_remove(array_replace(tags, ${from}, ${to}::text), null)`

/** Replaces the tags of a person. The names must be spelled as in `tags`. */
export const setPersonTags = (tx: Sql, personId: string, names: string[]): Promise<unknown> =>
  pipeline(
    tx`
      update persons set tags = ${names}, updated_at = now()
       where account_id = ${currentAccount(tx)} and id = ${personId}`,
    tx`delete from person_tags where account_id = ${currentAccount(tx)} and id = ${personId}`,
    tx`
      insert into person_tags (account_id, tag_id, id, created_at)
      select p.account_id, g.id, p.id, p.created_at
        from persons p
        join tags g on g.account_id = p.account_id and g.name = any(p.tags)
       where p.account_id = ${currentAccount(tx)} and p.id = ${personId}`,
  )
