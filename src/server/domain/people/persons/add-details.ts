import type { Context } from '../../../kernel/context.ts'
import { currentAccount } from '../../../kernel/db/database.ts'
import type { CustomValues } from '../custom-fields/custom-values.ts'
import { addPersonTags } from './person-tags.ts'

type Details = { id: string; custom: CustomValues }

/**
 * Adds values of custom fields, an owner and tags (as spelled in `tags`) to persons, where they have none. Returns the ids
 * of those that changed.
 */
export async function addDetails(
  ctx: Context,
  persons: readonly Details[],
  { ownerRepId = null, tags }: { ownerRepId?: string | null | undefined; tags: readonly string[] },
): Promise<Set<string>> {
  const { sql } = ctx
  const ids = persons.map(({ id }) => id)
  const changed = await sql<{ id: string }[]>`
    update persons p
       set custom = jsonb_strip_nulls(f.custom) || p.custom, owner_rep_id = coalesce(p.owner_rep_id, ${ownerRepId}::uuid),
           updated_at = now()
      from jsonb_to_recordset(${sql.json([...persons])}) as f(id uuid, custom jsonb)
     where p.account_id = ${currentAccount(sql)} and p.id = f.id
       and (not p.custom ?& array(select jsonb_object_keys(jsonb_strip_nulls(f.custom)))
            or p.owner_rep_id is null and ${ownerRepId}::uuid is not null)
    returning p.id`
  const tagged = await addPersonTags(ctx, ids, tags)
  return new Set([...changed.map(({ id }) => id), ...tagged])
}
