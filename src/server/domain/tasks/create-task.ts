import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import { conflict, invalid } from '../../kernel/errors.ts'
import type { Json } from '../../kernel/json.ts'
import { audit } from '../accounts/audit-log.ts'
import { isInScope } from '../accounts/permission-scope.ts'
import { findOptOut } from '../people/opt-outs/find-opt-outs.ts'
import { getTask } from './tasks.ts'
import { insertUserTask } from './write-tasks.ts'

export async function createTask(
  ctx: Context,
  { prospectId, personId, repId, ...task }: Input<'createTask'>,
): Promise<Json<Output<'createTask'>>> {
  const subject = await readSubject(ctx, { prospectId, personId })
  const assigneeId = repId ?? subject.repId ?? (await findOnlyRep(ctx))
  await checkAssignee(ctx, assigneeId)
  if (task.channel !== 'other') await checkOptOut(ctx, subject)
  const taskId = await insertUserTask(ctx.sql, { ...task, ...subject, repId: assigneeId })
  await audit(ctx, 'create', 'task', taskId)
  return getTask(ctx, { taskId })
}

type Subject = {
  personId: string
  prospectId: string | null
  campaignId: string | null
  repId: string | null
  email: string | null
  linkedinUrl: string | null
  phone: string | null
}

async function readSubject(
  { sql, accountId }: Context,
  { prospectId, personId }: Pick<Input<'createTask'>, 'prospectId' | 'personId'>,
): Promise<Subject> {
  const [subject] = await sql<Subject[]>`
    select p.id as "personId", r.id as "prospectId", r.campaign_id as "campaignId", r.rep_id as "repId",
           p.email, p.linkedin_url as "linkedinUrl", p.phone
      from (select ${prospectId ?? null}::uuid as prospect_id, ${personId ?? null}::uuid as person_id) given
      left join prospects r on r.account_id = ${accountId} and r.id = given.prospect_id
      join persons p on p.account_id = ${accountId} and p.id = coalesce(r.person_id, given.person_id)`
  if (subject) return subject
  const [path, noun] = prospectId ? ['prospectId', 'prospect'] : ['personId', 'person']
  throw invalid(path, `must be the ID of a ${noun} in this account`)
}

async function findOnlyRep({ sql, accountId, userId }: Context): Promise<string> {
  const [rep, another] = await sql<{ id: string }[]>`
    select id from reps where account_id = ${accountId} and owned_by_id = ${userId} limit 2`
  if (!rep || another)
    throw invalid('repId', 'is required, unless the prospect has a rep or you have only one')
  return rep.id
}

/** Throws when the caller may not give tasks to this rep. */
export async function checkAssignee(ctx: Context, repId: string): Promise<void> {
  const [rep] = await ctx.sql`
    select from reps e
     where account_id = ${ctx.accountId} and id = ${repId} and ${isInScope(ctx, 'Task.EditTask', ctx.sql`e.id`)}`
  if (!rep) throw invalid('repId', 'must be the ID of one of your reps')
}

async function checkOptOut(ctx: Context, { email, ...contact }: Subject): Promise<void> {
  const optOut = await findOptOut(ctx, { ...contact, emails: email ? [email] : [] })
  if (optOut) throw conflict(`${optOut.value} is on the Do Not Contact list. Don't contact them.`)
}
