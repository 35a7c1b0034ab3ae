import type { Permission } from '../../../contract/permissions.ts'
import type { Context } from '../../kernel/context.ts'
import { invalid } from '../../kernel/errors.ts'
import { isInScope } from '../accounts/permission-scope.ts'

/** A person with their contact details, and their prospect if one was given. */
export type Subject = {
  personId: string
  prospectId: string | null
  campaignId: string | null
  name: string | null
  email: string | null
  linkedinUrl: string | null
  phone: string | null
}

type SubjectInput = {
  prospectId?: string | undefined
  personId?: string | undefined
  repId?: string | undefined
}

/**
 * Finds the person or prospect that a record is about, and its rep: the given one, or else the prospect's, or else
 * the caller's only rep. Throws ValidationError when one of them is unknown or the rep is out of scope.
 */
export async function findSubject(
  ctx: Context,
  permission: Permission,
  { prospectId, personId, repId }: SubjectInput,
): Promise<Subject & { repId: string }> {
  const { sql, accountId } = ctx
  const [subject] = await sql<(Subject & { repId: string | null })[]>`
    select p.id as "personId", r.id as "prospectId", r.campaign_id as "campaignId", r.rep_id as "repId",
           nullif(concat_ws(' ', p.first_name, p.last_name), '') as name, p.email, p.linkedin_url as "linkedinUrl", p.phone
      from (select ${prospectId ?? null}::uuid as prospect_id, ${personId ?? null}::uuid as person_id) given
      left join prospects r on r.account_id = ${accountId} and r.id = given.prospect_id
      join persons p on p.account_id = ${accountId} and p.id = coalesce(r.person_id, given.person_id)
                    and p.erased_at is null
       -- Waits for a concurrent erasure, which would miss the new record.
       for key share of p`
  if (!subject) {
    const [path, noun] = prospectId ? ['prospectId', 'prospect'] : ['personId', 'person']
    throw invalid(path, `must be the ID of a ${noun} in this account`)
  }
  const chosenRepId = repId ?? subject.repId ?? (await findOnlyRep(ctx))
  await checkOwnRep(ctx, permission, chosenRepId)
  return { ...subject, repId: chosenRepId }
}

async function findOnlyRep({ sql, accountId, userId }: Context): Promise<string> {
  const [rep, another] = await sql<{ id: string }[]>`
    select id from reps where account_id = ${accountId} and owned_by_id = ${userId} limit 2`
  if (!rep || another)
    throw invalid('repId', 'is required, unless the prospect has a rep or you have only one')
  return rep.id
}

/** Throws when the rep is unknown or not covered by the caller's permission. */
export async function checkOwnRep(ctx: Context, permission: Permission, repId: string): Promise<void> {
  const [rep] = await ctx.sql`
    select from reps e
     where account_id = ${ctx.accountId} and id = ${repId} and ${isInScope(ctx, permission, ctx.sql`e.id`)}`
  if (!rep) throw invalid('repId', 'must be the ID of one of your reps')
}
