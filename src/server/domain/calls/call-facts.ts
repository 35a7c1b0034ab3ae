import type { App } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { findConsentKinds } from '../people/consents/consents.ts'
import { type Contact, findOptOutForEach } from '../people/opt-outs/find-opt-outs.ts'
import { selectPersonIds } from '../people/persons/person-aliases.ts'
import type { ClaimedCall } from './claim-calls.ts'
import type { CallFacts } from './may-call.ts'
import { findStepHold } from './step-calls.ts'

/** The part of a call that its checks need. */
export type GatedCall = {
  from: string
  to: string
  timezone: string | null
  emails: string[]
  linkedinUrl: string | null
  /** The person's number on file, which may differ from `to`. */
  phone: string | null
  personId: string | null
  isStep: boolean
}

/**
 * Serializes calls to this person or number, and from this number, until the transaction ends, so that concurrent
 * checks cannot both pass.
 */
export const lockNumbers = (tx: Sql, { accountId }: ClaimedCall, { from, to, personId }: GatedCall) => tx`
  select pg_advisory_xact_lock(key)
    from (select distinct hashtextextended(name, 3) as key
            from unnest(${[`${accountId} from ${from}`, `${accountId} to ${to}`, `${accountId} ${personId ?? to}`]}::text[]) name
           order by key) keys`

/** Reads the facts for `mayCall`, in the transaction that allows the call. */
export async function readCallFacts(
  app: App,
  tx: Sql,
  claim: ClaimedCall,
  call: GatedCall,
  now: Date,
): Promise<CallFacts> {
  const { accountId } = claim
  const { personId, emails, linkedinUrl, phone, to, timezone, isStep } = call
  const account = { sql: tx, accountId, app }
  const contact = { personId, emails, linkedinUrl, phone, calledPhone: to }
  const optOuts = await findOptOutForEach(
    account,
    personId ? [contact] : [contact, ...(await findCallees(tx, call))],
  )
  const consents = await findConsentKinds(account, to)
  const usage = await readUsage(tx, claim, call, now)
  const stepHold = await findStepHold(app, tx, claim.id, now)
  return {
    phone: to,
    timezone,
    isOptedOut: optOuts.some(entry => entry !== undefined),
    isStep,
    consents,
    ...usage,
    stepHold,
  }
}

/**
 * Finds the people with the called number or email address, for a call that was queued without a person. Such people
 * may have been added since then.
 */
const findCallees = (tx: Sql, { to, emails }: GatedCall): Promise<Contact[]> => tx<Contact[]>`
  select p.id as "personId", array_remove(array[p.email], null) as emails, p.linkedin_url as "linkedinUrl", p.phone
    from (${selectPersonIds(tx, 'phone', tx`array[${to}]`)}
          union
          ${selectPersonIds(tx, 'email', tx`${emails}::text[]`)}) found
    join persons p on p.account_id = current_account_id() and p.id = found.id
   limit 100`

type Usage = Pick<
  CallFacts,
  'isSendingPaused' | 'isOnThePhone' | 'lastSpokenAt' | 'callerCapResetsAt' | 'calleeCapResetsAt'
>

/**
 * Reads recent calls from and to these numbers. A cap resets when the oldest counted call is more than 24 hours old.
 */
async function readUsage(
  tx: Sql,
  claim: ClaimedCall,
  { to, personId }: GatedCall,
  now: Date,
): Promise<Usage> {
  const { accountId, id } = claim
  const yesterday = new Date(now.getTime() - 86_400_000)
  const [usage] = await tx<Usage[]>`
    select (select sending_paused_at is not null from accounts where id = ${accountId}) as "isSendingPaused",
           exists (
             select from calls o
               left join prospects r on r.account_id = o.account_id and r.id = o.prospect_id
              where o.account_id = ${accountId} and o.status in ('dialing', 'in_progress') and o.id <> ${id}
                and (o.to_number = ${to} or coalesce(r.person_id, o.person_id) = ${personId})) as "isOnThePhone",
           (select max(o.ended_at)
              from calls o
             where o.account_id = ${accountId} and o.to_number = ${to} and o.placed_at > ${yesterday}
               and o.id <> ${id} and (o.started_at is not null or o.outcome = 'answered')) as "lastSpokenAt",
           (select o.placed_at + interval '24 hours'
              from calls o
             where o.account_id = ${accountId} and o.from_number = c.from_number and o.placed_at > ${yesterday}
               and o.id <> ${id}
             order by o.placed_at desc
            offset coalesce(a.daily_cap, 1) - 1 limit 1) as "callerCapResetsAt",
           (select o.placed_at + interval '24 hours'
              from calls o
             where o.account_id = ${accountId} and o.to_number = ${to} and o.placed_at > ${yesterday}
               and o.id <> ${id}
             order by o.placed_at desc
            offset coalesce(a.daily_cap_per_number, 1) - 1 limit 1) as "calleeCapResetsAt"
      from calls c
      left join assistants a on a.account_id = c.account_id and a.id = c.assistant_id
     where c.account_id = ${accountId} and c.id = ${id}`
  return usage!
}
