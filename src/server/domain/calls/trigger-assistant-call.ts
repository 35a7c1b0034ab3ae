import type { Input, Output } from '../../../contract/index.ts'
import { id } from '../../../contract/page.ts'
import { authorize, type Context } from '../../kernel/context.ts'
import { invalid, outOfScope } from '../../kernel/errors.ts'
import { requireEmail } from '../../protocols/identity/email.ts'
import { requirePhone } from '../../protocols/identity/phone.ts'
import { isTimezone } from '../../protocols/identity/timezone.ts'
import { audit } from '../accounts/audit-log.ts'
import { getDefaultCountry } from '../accounts/default-country.ts'
import { findOptOut } from '../people/opt-outs/find-opt-outs.ts'
import { selectPersonIds } from '../people/persons/person-aliases.ts'
import { findApplicableZones, nextCallableAt } from './calling-hours.ts'
import { queueCall } from './queue-call.ts'

const MAX_DATA_BYTES = 16 * 1024
const MAX_NOTICE_MS = 366 * 86_400_000

/** Queues the call; the engine checks everything again when it is due. */
export async function triggerAssistantCall(
  ctx: Context,
  input: Input<'triggerAssistantCall'>,
): Promise<Output<'triggerAssistantCall'>> {
  const now = ctx.app.now()
  const { assistant, target, person, from, callableAt } = await checkCall(ctx, input, now)
  const callId = await queueCall(ctx.sql, {
    assistantId: assistant.id,
    prospectId: person?.prospectId ?? null,
    personId: person?.id ?? null,
    to: target.phone,
    name: input.name,
    email: target.email ?? null,
    timezone: target.timezone ?? null,
    data: input.data,
    callTransfer: target.callTransfer,
    callableAt,
    heldBy: callableAt > from ? 'calling_hours' : from > now ? 'scheduled' : null,
  })
  await audit(ctx, 'trigger', 'call', callId)
  return { callId, status: 'queued' }
}

/**
 * Validates a call. Returns its assistant, callee and person, the time from which it is wanted, and the first time at
 * which it can be placed. Throws, naming the field, when the call could not be queued now.
 */
export async function checkCall(ctx: Context, input: Input<'triggerAssistantCall'>, now: Date) {
  const assistant = await findAssistant(ctx, input.assistantId)
  const target = await parseCallTarget(ctx, input)
  checkData(input.data)
  const person = await findPerson(ctx, target)
  await checkOptOuts(ctx, target, person)
  const from = findStart(input, now)
  return { assistant, target, person, from, callableAt: findCallableAt(target, from) }
}

/** Returns the time from which the call is wanted: now, unless it is scheduled for later. */
export function findStart({ notBefore }: { notBefore?: string | undefined }, now: Date): Date {
  const at = notBefore ? new Date(notBefore) : now
  if (at.getTime() > now.getTime() + MAX_NOTICE_MS) throw invalid('notBefore', 'must be within a year')
  return at > now ? at : now
}

type Assistant = { id: string; repId: string | null }

async function findAssistant(ctx: Context, assistantId: string): Promise<Assistant> {
  const [assistant] = id.safeParse(assistantId).success
    ? await ctx.sql<(Assistant & { ownedById: string | null })[]>`
        select a.id, a.rep_id as "repId", r.owned_by_id as "ownedById"
          from assistants a
          left join reps r on r.account_id = a.account_id and r.id = a.rep_id
         where a.account_id = ${ctx.accountId} and a.id = ${assistantId}`
    : []
  if (!assistant) throw invalid('assistantId', 'must be the ID of an assistant in this account')
  if (authorize(ctx, 'Call.TriggerCall') === 'own' && assistant.ownedById !== ctx.userId) {
    throw outOfScope('Call.TriggerCall', 'this assistant belongs to none of them')
  }
  return assistant
}

type CallTarget = {
  phone: string
  email: string | undefined
  timezone: string | undefined
  callTransfer: Input<'triggerAssistantCall'>['callTransfer']
}

/** Returns the callee with canonical fields. */
async function parseCallTarget(ctx: Context, input: Input<'triggerAssistantCall'>): Promise<CallTarget> {
  const defaultCountry = await getDefaultCountry(ctx)
  const phone = requirePhone(input.phoneNumber, defaultCountry)
  const { callTransfer, timezone } = input
  const email = input.email && requireEmail(input.email)
  if (timezone && !isTimezone(timezone)) {
    throw invalid('timezone', 'must be an IANA time zone, such as Europe/London')
  }
  return {
    phone,
    email,
    timezone,
    callTransfer: callTransfer && {
      ...callTransfer,
      phoneNumber: requirePhone(callTransfer.phoneNumber, defaultCountry, 'callTransfer.phoneNumber'),
    },
  }
}

function checkData(data: unknown): void {
  if (data !== undefined && Buffer.byteLength(JSON.stringify(data)) > MAX_DATA_BYTES) {
    throw invalid('data', 'must be at most 16 kB as JSON')
  }
}

type Person = {
  id: string
  email: string | null
  linkedinUrl: string | null
  phone: string | null
  prospectId: string | null
}

/**
 * Finds the person by email address, otherwise by phone number, with their most active prospect. A person found by
 * number who has a different email address may only share the number: they are checked for opt-outs, but are not called
 * as a prospect.
 */
async function findPerson(
  ctx: Context,
  { phone, email }: Pick<CallTarget, 'phone' | 'email'>,
): Promise<Person | undefined> {
  const { sql, accountId } = ctx
  const account = sql`${accountId}::uuid`
  const [person] = await sql<Person[]>`
    select p.id, p.email, p.linkedin_url as "linkedinUrl", p.phone,
           case when f.rank = 1 or p.email is null or ${email ?? null}::text is null then r.id end as "prospectId"
      from ((select 1 as rank, found.id from (${selectPersonIds(sql, 'email', sql`array[${email ?? null}]`, account)}) found)
            union all
            (select 2, found.id from (${selectPersonIds(sql, 'phone', sql`array[${phone}]`, account)}) found limit 20)) f
      join persons p on p.account_id = ${accountId} and p.id = f.id
      left join prospects r on r.account_id = ${accountId} and r.person_id = p.id
     order by f.rank, r.id is null, r.status in ('pending', 'active') desc, r.created_at desc
     limit 1`
  return person
}

/** Finds the Do Not Contact entry that forbids calling this person or number. */
export async function findCalleeOptOut(
  ctx: Context,
  target: Pick<CallTarget, 'phone' | 'email'>,
  person?: Person,
) {
  const { id: personId, email, ...contact } = person ?? (await findPerson(ctx, target)) ?? {}
  const emails = [target.email, email].filter(address => typeof address === 'string')
  return findOptOut(ctx, { ...contact, personId, emails, calledPhone: target.phone })
}

async function checkOptOuts(ctx: Context, target: CallTarget, person: Person | undefined): Promise<void> {
  const { phone, email } = target
  const optOut = await findCalleeOptOut(ctx, target, person)
  if (!optOut) return
  const isByEmail = email && (optOut.kind === 'email' || optOut.kind === 'domain')
  throw invalid(
    isByEmail ? 'email' : 'phoneNumber',
    optOut.value === phone
      ? 'is on the Do Not Contact list'
      : 'belongs to somebody on the Do Not Contact list',
  )
}

function findCallableAt(target: CallTarget, now: Date): Date {
  if (findApplicableZones(target).length === 0) {
    throw invalid('timezone', 'is required: the calling hours cannot be derived from the number')
  }
  const callableAt = nextCallableAt(target, now)
  if (!callableAt) {
    throw invalid('timezone', "never has calling hours at the same time as the number's time zone")
  }
  return callableAt
}
