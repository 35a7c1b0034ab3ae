import type { Context } from '../../kernel/context.ts'
import type { Fragment } from '../../kernel/db/database.ts'
import { type ErrorDetail, invalid, invalidAll } from '../../kernel/errors.ts'
import { requireKnownIds } from '../../kernel/id-filters.ts'
import { isUnfinished } from './incomplete.ts'

/** A prospect that a request names, by its ID or its company. */
export type SelectedProspect = {
  id: string
  personId: string
  campaignId: string
  status: string
  /** True if a merge gave the person another prospect in the same campaign, which is used instead. */
  isDuplicate: boolean
  email: string | null
  linkedinUrl: string | null
  phone: string | null
  /** True if the person was erased. */
  isErased: boolean
  /** True until the sequence has ended. */
  isUnfinished: boolean
}

const MAX_AT_COMPANY = 100

/**
 * Returns the given IDs or, for a company, the IDs of its prospects that meet the condition. `condition` refers to the
 * prospect as `r`.
 */
export async function selectProspectIds(
  ctx: Context,
  { prospectIds, companyId }: { prospectIds?: string[] | undefined; companyId?: string | undefined },
  condition: Fragment,
): Promise<string[]> {
  if (prospectIds) return prospectIds
  await requireKnownIds(ctx, { companyId })
  const { sql, accountId } = ctx
  const found = await sql<{ id: string }[]>`
    select r.id
      from persons p
      join prospects r on r.account_id = p.account_id and r.person_id = p.id
     where p.account_id = ${accountId} and p.company_id = ${companyId!} and ${condition}
     order by r.id
     limit ${MAX_AT_COMPANY + 1}`
  if (found.length > MAX_AT_COMPANY)
    throw invalid('companyId', `matches more than ${MAX_AT_COMPANY} prospects; pass prospectIds in batches`)
  return found.map(({ id }) => id)
}

/** Returns the prospects with these IDs, in the given order. Rejects unknown and repeated IDs. */
export async function readSelectedProspects(
  { sql, accountId }: Context,
  ids: readonly string[],
): Promise<SelectedProspect[]> {
  const rows = await sql<SelectedProspect[]>`
    select r.id, r.person_id as "personId", r.campaign_id as "campaignId", r.status,
           r.is_duplicate as "isDuplicate", p.email, p.linkedin_url as "linkedinUrl", p.phone,
           p.erased_at is not null as "isErased", ${isUnfinished(sql, sql`r`)} as "isUnfinished"
      from prospects r
      join persons p on p.account_id = r.account_id and p.id = r.person_id
     where r.account_id = ${accountId} and r.id = any(${[...ids]}::uuid[])`
  const found = new Map(rows.map(row => [row.id, row]))
  const errors = ids.flatMap((id, index): ErrorDetail[] => {
    const path = `prospectIds.${index}`
    if (!found.has(id)) return [{ path, message: 'must be the ID of a prospect in this account' }]
    return ids.indexOf(id) < index ? [{ path, message: 'must not be repeated' }] : []
  })
  if (errors.length > 0) throw invalidAll(errors)
  return ids.map(id => found.get(id)!)
}
