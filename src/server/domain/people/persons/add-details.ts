import type { Context } from '../../../kernel/context.ts'
import type { CustomValues } from '../custom-fields/custom-values.ts'

type Details = { id: string; custom: CustomValues }

/**
 * Adds values of custom fields, an owner and tags (as spelled in `tags`) to persons, where they have none. Returns the ids
 * of those that changed.
 */
export async function addDetails(
  { sql, accountId }: Context,
  persons: readonly Details[],
  { ownerRepId = null, tags }: { ownerRepId?: string | null | undefined; tags: readonly string[] },
): Promise<Set<string>> {
  const ids = persons.map(({ id }) => id)
  const changed = await sql<{ id: string }[]>`
    update persons p
       set custom = jsonb_strip_nulls(f.custom) || p.custom, owner_rep_id = coalesce(p.owner_rep_id, ${ownerRepId}::uuid),
           updated_at = now()
      from jsonb_to_recordset(${sql.json([...persons])}) as f(id uuid, custom jsonb)
     where p.account_id = ${accountId} and p.id = f.id
       and (not p.custom ?& array(select jsonb_object_keys(jsonb_strip_nulls(f.custom)))
            or p.owner_rep_id is null and ${ownerRepId}::uuid is not null)
    returning p.id`
  if (tags.length === 0) return new Set(changed.map(({ id }) => id))
  const tagged = await sql<{ id: string }[]>`
    update persons p
       set tags = array(select name from unnest(p.tags || ${[...tags]}::text[]) with ordinality t(name, place)
                         group by name order by min(place)),
           updated_at = now()
     where account_id = ${accountId} and id = any(${ids}::uuid[]) and not tags @> ${[...tags]}::text[]
    returning id`
  await sql`
    insert into person_tags (account_id, tag_id, id, created_at)
    select p.account_id, g.id, p.id, p.created_at
      from persons p
      join tags g on g.account_id = p.account_id and g.name = any(${[...tags]}::text[])
     where p.account_id = ${accountId} and p.id = any(${ids}::uuid[])
    on conflict do nothing`
  return new Set([...changed, ...tagged].map(({ id }) => id))
}
