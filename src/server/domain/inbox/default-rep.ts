import type { Permission } from '../../../contract/permissions.ts'
import type { Context } from '../../kernel/context.ts'
import { isInScope } from '../accounts/permission-scope.ts'

/**
 * Finds the rep who writes to a person: the rep of the person's latest campaign within the scope of the permission,
 * otherwise the caller's only rep.
 */
export async function findDefaultRep(
  ctx: Context,
  permission: Permission,
  personId: string,
): Promise<string | undefined> {
  const { sql, accountId, userId } = ctx
  const [last] = await sql<{ repId: string }[]>`
    select p.rep_id as "repId"
      from prospects p
     where p.account_id = ${accountId} and p.person_id = ${personId} and p.rep_id is not null
       and ${isInScope(ctx, permission, sql`p.rep_id`)}
     order by p.created_at desc, p.id desc
     limit 1`
  if (last) return last.repId
  const ownReps = await sql<{ id: string }[]>`
    select id from reps where account_id = ${accountId} and owned_by_id = ${userId} limit 2`
  return ownReps.length === 1 ? ownReps[0]!.id : undefined
}
