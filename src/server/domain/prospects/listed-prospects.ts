import type { Context } from '../../kernel/context.ts'
import { type ErrorDetail, invalidAll } from '../../kernel/errors.ts'
import { isUnfinished } from './incomplete.ts'

export type ListedProspect = {
  id: string
  personId: string
  campaignId: string
  email: string | null
  linkedinUrl: string | null
  phone: string | null
  /** True until the sequence has ended. */
  isOpen: boolean
}

/** Returns the prospects with these ids, in their order. Rejects unknown and repeated ids. */
export async function readListedProspects(
  { sql, accountId }: Context,
  ids: readonly string[],
): Promise<ListedProspect[]> {
  const rows = await sql<ListedProspect[]>`
    select r.id, r.person_id as "personId", r.campaign_id as "campaignId", p.email, p.linkedin_url as "linkedinUrl",
           p.phone, ${isUnfinished(sql, sql`r`)} as "isOpen"
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
