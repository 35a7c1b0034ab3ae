import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import { forceCustomPlans } from '../../kernel/db/database.ts'
import { invalid, notFound } from '../../kernel/errors.ts'
import { withInFlight } from '../../kernel/with-in-flight.ts'
import type { OptOutIdentifier } from '../../protocols/identity/opt-out-identifier.ts'
import { audit } from '../accounts/audit-log.ts'
import { countInFlight } from '../outbox/in-flight.ts'
import { lockPeople } from '../people/companies/lock-people.ts'
import { hashOptOuts, lockOptOuts } from '../people/opt-outs/store-opt-outs.ts'
import { completeCampaign } from '../prospects/complete-campaign.ts'
import { eraseCopies } from './erase-copies.ts'
import { findRecords } from './find-records.ts'
import { isAbout, type PersonRecords, personalData } from './personal-data.ts'

/**
 * Erases a person's data from all tables. Their identifiers stay on the Do Not Contact list as hashes. The response
 * waits up to five seconds for messages to them that are in flight.
 */
export async function erasePerson(
  ctx: Context,
  { personId, expectedPerson }: Input<'erasePerson'>,
): Promise<Output<'erasePerson'>> {
  await lockPeople(ctx)
  await lockPerson(ctx, personId)
  const records = await findRecords(ctx, personId)
  if (!records) throw notFound('person')
  requireExpected(records, expectedPerson)
  const entries = listIdentifiers(records)
  await forceCustomPlans(ctx.sql)
  await hashOptOuts(ctx, entries)
  await deleteUnsent(ctx, records)
  await endCalls(ctx, records)
  await ctx.sql`
    update consents set withdrawn_at = coalesce(withdrawn_at, now())
     where account_id = ${ctx.accountId} and ${isAbout(ctx.sql, 'consents', records)}`
  for (const table of Object.keys(personalData)) await eraseRows(ctx, table, records)
  await eraseCopies(ctx, records)
  await completeCampaigns(ctx, records)
  await audit(ctx, 'erase', 'person', personId)
  return withInFlight(ctx, { ok: true as const }, () => countInFlight(ctx, { personId }))
}

/**
 * Locks the person, the Do Not Contact list, and the person's prospects and threads, so that messages that are being
 * written are found too, and no more are written.
 */
async function lockPerson(ctx: Context, personId: string): Promise<void> {
  const { sql, accountId } = ctx
  await sql`select from persons where account_id = ${accountId} and id = ${personId} for update`
  // Before the prospects, which additions to the Do Not Contact list lock after the list.
  await lockOptOuts(ctx)
  const byPerson = sql`account_id = ${accountId} and person_id = ${personId}`
  await sql`select from prospects where ${byPerson} order by id for update`
  await sql`
    select from email_threads
     where account_id = ${accountId}
       and (prospect_id = any(array(select id from prospects where ${byPerson}))
            or prospect_id is null and person_id = ${personId})
     order by id
       for update`
}

/** Throws unless the caller named the person, because a wrong ID is easy to miss. */
function requireExpected({ names, emails, phones, linkedinUrls }: PersonRecords, expected: string): void {
  const known = [...emails, ...phones, ...linkedinUrls, ...names].map(text => text.toLowerCase())
  if (known.includes(expected.trim().toLowerCase())) return
  throw invalid(
    'expectedPerson',
    'must be the email address, full name, phone number or LinkedIn profile of this person. Nothing was erased.',
  )
}

const listIdentifiers = ({ emails, phones, linkedinUrls }: PersonRecords): OptOutIdentifier[] => [
  ...emails.map(value => ({ kind: 'email' as const, value })),
  ...phones.map(value => ({ kind: 'phone' as const, value })),
  ...linkedinUrls.map(value => ({ kind: 'linkedin' as const, value })),
]

/**
 * Deletes drafts and messages that have not been sent. Messages in flight stay: their results are recorded, and
 * `inFlight` counts them.
 */
async function deleteUnsent({ sql, accountId }: Context, records: PersonRecords): Promise<void> {
  const { messages, tasks, linkedinMessages } = records
  await sql`
    delete from email_sends
     where account_id = ${accountId} and message_id = any(${messages}::uuid[]) and state in ('queued', 'claimed')
       and not is_repeat`
  // Repeats remain: their first transfer had no known result, so they may already have been delivered.
  await sql`
    update email_sends
       set state = 'unconfirmed', epoch = epoch + 1, ended_at = now()
     where account_id = ${accountId} and message_id = any(${messages}::uuid[]) and state in ('queued', 'claimed')`
  await sql`
    delete from email_messages m
     where account_id = ${accountId} and id = any(${messages}::uuid[]) and status is distinct from 'sent'
       and not exists (select from email_sends e where e.account_id = m.account_id and e.message_id = m.id)`
  await sql`
    update linkedin_sends
       set state = 'refused', epoch = epoch + 1
     where account_id = ${accountId} and task_id = any(${tasks}::uuid[])
       and (state = 'queued' or state = 'claimed' and requested_at is null)`
  await sql`
    delete from linkedin_messages m
     where account_id = ${accountId} and id = any(${linkedinMessages}::uuid[]) and status = 'draft'
       and not exists (select from tasks t
                         join linkedin_sends e on e.account_id = t.account_id and e.task_id = t.id
                        where t.account_id = m.account_id and t.linkedin_message_id = m.id and e.state = 'claimed')`
}

/** Ends calls that have not been placed. */
const endCalls = ({ sql, accountId }: Context, { calls }: PersonRecords) => sql`
  update calls
     set status = 'ended', outcome = 'withdrawn', outcome_reason = 'do_not_contact', ended_at = now(), held_by = null,
         due_at = null, lease_until = null
   where account_id = ${accountId} and id = any(${calls}::uuid[]) and status = 'queued'`

async function eraseRows({ sql, accountId }: Context, table: string, records: PersonRecords): Promise<void> {
  const { erase } = personalData[table]!
  if (!erase) return
  const rows = sql`account_id = ${accountId} and (${isAbout(sql, table, records)})`
  if (erase === 'delete') await sql`delete from ${sql.identifier(table)} where ${rows}`
  else
    await sql`update ${sql.identifier(table)} set ${sql.unsafe(erase)}${sql.unsafe(setUpdatedAt(table))} where ${rows}`
}

const setUpdatedAt = (table: string): string => (table === 'linkedin_sends' ? '' : ', updated_at = now()')

async function completeCampaigns({ sql, accountId }: Context, { prospects }: PersonRecords): Promise<void> {
  const campaigns = await sql<{ id: string }[]>`
    select distinct campaign_id as id from prospects
     where account_id = ${accountId} and id = any(${prospects}::uuid[])
     order by 1`
  for (const { id } of campaigns) await completeCampaign(sql, id)
}
