import type { Context } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'

type LockedProspect = {
  personId: string
  status: string
  campaignId: string
  email: string | null
  linkedinUrl: string | null
  phone: string | null
}

export async function lockProspect({ sql, accountId }: Context, prospectId: string): Promise<LockedProspect> {
  const [prospect] = await sql<LockedProspect[]>`
    select r.status, r.campaign_id as "campaignId", p.id as "personId", p.email, p.linkedin_url as "linkedinUrl", p.phone
      from prospects r
      join persons p on p.account_id = r.account_id and p.id = r.person_id
     where r.account_id = ${accountId} and r.id = ${prospectId}
       for update of r`
  if (!prospect) throw notFound('prospect')
  return prospect
}
