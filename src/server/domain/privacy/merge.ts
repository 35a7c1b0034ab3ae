import type { Input, Output } from '../../../contract/index.ts'
import { type PersonField, personFieldNames, personFields } from '../../../contract/person-fields.ts'
import type { Context } from '../../kernel/context.ts'
import { pipeline, type Sql } from '../../kernel/db/database.ts'
import { type ErrorDetail, invalid, invalidAll, notFound } from '../../kernel/errors.ts'
import { audit } from '../accounts/audit-log.ts'
import { rescheduleSteps } from '../linkedin/reschedule-steps.ts'
import { lockPeople } from '../people/companies/lock-people.ts'
import { findPersonOptOut } from '../people/opt-outs/find-opt-outs.ts'
import { personColumns } from '../people/persons/person-columns.ts'
import { personEmails } from '../people/persons/person-emails.ts'
import { MAX_TAGS, setPersonTags } from '../people/persons/person-tags.ts'
import { getPerson } from '../people/persons/persons.ts'
import { completeCampaign } from '../prospects/complete-campaign.ts'
import { forbidAppChangedCallees } from '../prospects/forbid-app-changed-callees.ts'
import { isPausable, pausePausableProspects } from '../prospects/in-touch.ts'
import { retryIncompletePersons } from '../prospects/incomplete.ts'
import { openStatuses } from '../prospects/write-prospects.ts'
import { lockRecords } from './lock-records.ts'
import { mergeProspects } from './merge-prospects.ts'
import { personalData } from './personal-data.ts'

type Person = Record<PersonField, string | null> & {
  id: string
  companyId: string | null
  ownerRepId: string | null
  photoUrl: string | null
  tags: string[]
  custom: Record<string, unknown>
}

/**
 * Moves everything about the duplicates to the person. The duplicates remain as empty rows that refer to the person,
 * and their identifiers become the person's aliases.
 */
export async function mergePersons(
  ctx: Context,
  { personId, duplicateIds, expectedNames }: Input<'mergePersons'>,
): Promise<Output<'mergePersons'>> {
  await lockPeople(ctx)
  const [person, duplicates] = await lockPersons(ctx, personId, duplicateIds)
  requireExpected(duplicates, expectedNames)
  const tags = joinTags([person, ...duplicates])
  await forbidAppChangedCallees(ctx, { personIds: [personId, ...duplicateIds] })
  await lockRecords(ctx, personId, duplicateIds)
  const repliedElsewhere = await findRepliedElsewhere(ctx.sql, [personId, ...duplicateIds])
  const stopped = await mergeProspects(ctx, personId, duplicateIds)
  await moveRecords(ctx, personId, duplicateIds)
  await mergeFields(ctx, person, duplicates)
  await setPersonTags(ctx.sql, personId, tags)
  await pausePausableProspects(ctx.sql, repliedElsewhere, 'replied_elsewhere', ctx.app.now())
  const paused = await pauseOptedOut(ctx, personId)
  for (const id of new Set([...stopped, ...paused].sort())) await completeCampaign(ctx.sql, id)
  await retryIncompletePersons(ctx, [personId])
  await rescheduleSteps(ctx, { personIds: [personId] })
  await pipeline(...[personId, ...duplicateIds].map(id => audit(ctx, 'merge', 'person', id)))
  const merged = JSON.parse((await getPerson(ctx, { personId })).text) as Output<'getPerson'>
  return { ...merged, stoppedProspects: stopped.length }
}

/** Locks the person and the duplicates, and returns them, the duplicates in the given order. */
async function lockPersons(
  { sql, accountId }: Context,
  personId: string,
  duplicateIds: readonly string[],
): Promise<[Person, Person[]]> {
  const rows = await sql<Person[]>`
    select p.id, ${sql.unsafe(personColumns.selected)}, p.company_id as "companyId", p.owner_rep_id as "ownerRepId",
           p.photo_url as "photoUrl", p.tags, p.custom
      from persons p
     where p.account_id = ${accountId} and p.id = any(${[personId, ...duplicateIds]}::uuid[]) and p.erased_at is null
     order by p.id
       for update`
  const find = (id: string) => rows.find(row => row.id === id)
  const person = find(personId)
  if (!person) throw notFound('person')
  const errors = duplicateIds.flatMap((id, index): ErrorDetail[] => {
    const path = `duplicateIds.${index}`
    if (id === personId) return [{ path, message: 'must not be the person itself' }]
    if (!find(id)) return [{ path, message: 'must be the ID of a person in this account' }]
    return duplicateIds.indexOf(id) < index ? [{ path, message: 'must not be repeated' }] : []
  })
  if (errors.length > 0) throw invalidAll(errors)
  return [person, duplicateIds.map(id => find(id)!)]
}

/** Throws if the expected names aren't those of the duplicates, because a wrong ID is easy to miss. */
function requireExpected(duplicates: readonly Person[], expected: readonly string[] | undefined): void {
  const isNamed = ({ firstName, lastName, email, phone, linkedinUrl }: Person, name: string | undefined) =>
    [[firstName, lastName].filter(Boolean).join(' '), email, phone, linkedinUrl].some(
      known => known && known.toLowerCase() === name?.trim().toLowerCase(),
    )
  if (!expected) return
  if (
    expected.length === duplicates.length &&
    duplicates.every((each, index) => isNamed(each, expected[index]))
  )
    return
  throw invalid(
    'expectedNames',
    'must name the duplicates in the order of `duplicateIds`. Nobody was merged.',
  )
}

/**
 * Returns the tags of all these persons. Throws if there are too many: a merge can't be undone, so no tag is dropped.
 */
function joinTags(persons: readonly Person[]): string[] {
  const tags = [...new Set(persons.flatMap(each => each.tags))]
  if (tags.length <= MAX_TAGS) return tags
  throw invalid(
    'duplicateIds',
    `have ${tags.length} different tags together with the person, but a person can have only ${MAX_TAGS}. Remove ${tags.length - MAX_TAGS} first. Nobody was merged.`,
  )
}

/** Moves the duplicates' records to the person. Records of a prospect keep their prospect. */
async function moveRecords(
  { sql, accountId }: Context,
  personId: string,
  duplicateIds: readonly string[],
): Promise<void> {
  const byDuplicates = sql`account_id = ${accountId} and person_id = any(${[...duplicateIds]}::uuid[])`
  await sql`
    update email_threads set person_id = ${personId}, updated_at = now()
     where account_id = ${accountId} and id = any(array(
             select h.id from prospects r join email_threads h on h.account_id = r.account_id and h.prospect_id = r.id
              where r.account_id = ${accountId} and r.person_id = ${personId} and h.person_id <> ${personId}
             union all
             select id from email_threads where prospect_id is null and ${byDuplicates}))`
  for (const table of ['linkedin_conversations', 'tasks', 'calls', 'call_requests', 'notes', 'meetings'])
    await sql`
      update ${sql.identifier(table)} set person_id = ${personId}, updated_at = now() where ${byDuplicates}`
  await sql`update linkedin_members set person_id = ${personId} where ${byDuplicates}`
  await sql`
    insert into linkedin_connections as n (account_id, rep_id, person_id, invited_at, accepted_at)
    select ${accountId}, rep_id, ${personId}, min(invited_at), min(accepted_at)
      from linkedin_connections
     where ${byDuplicates}
     group by rep_id
    on conflict (account_id, rep_id, person_id) do update
       set invited_at = least(n.invited_at, excluded.invited_at),
           accepted_at = least(n.accepted_at, excluded.accepted_at), updated_at = now()`
  await sql`delete from linkedin_connections where ${byDuplicates}`
}

/** Fills the person's empty fields, keeps the other identifiers as aliases, and empties the duplicates. */
async function mergeFields(ctx: Context, person: Person, duplicates: readonly Person[]): Promise<void> {
  const { sql, accountId } = ctx
  const all = [person, ...duplicates]
  const first = <F extends keyof Person>(field: F) => all.find(each => each[field] !== null)?.[field] ?? null
  const fields = Object.fromEntries(
    personFieldNames.map(field => [personFields[field].column, first(field) as string | null]),
  )
  const aliases = duplicates.flatMap(({ id, email, linkedinUrl, phone }) =>
    [
      { duplicateId: id, kind: 'email', value: email === fields.email ? null : email },
      { duplicateId: id, kind: 'linkedin', value: linkedinUrl === fields.linkedin_url ? null : linkedinUrl },
      { duplicateId: id, kind: 'phone', value: phone === fields.phone ? null : phone },
    ].filter(({ value }) => value !== null),
  )
  const ids = duplicates.map(({ id }) => id)
  for (const id of ids) await setPersonTags(sql, id, [])
  await sql`
    update person_aliases a
       set person_id = ${person.id},
           -- An alias whose duplicate_id is its own person is an earlier identifier, and remains one after the merge.
           duplicate_id = case duplicate_id when person_id then ${person.id} else duplicate_id end
     where account_id = ${accountId} and person_id = any(${ids}::uuid[])
       and not exists (select from person_aliases o
                        where o.account_id = a.account_id and o.kind = a.kind and o.value = a.value
                          and o.person_id = ${person.id})`
  await sql`delete from person_aliases where account_id = ${accountId} and person_id = any(${ids}::uuid[])`
  await sql`
    insert into person_aliases (account_id, kind, value, person_id, duplicate_id)
    select ${accountId}, kind, value, ${person.id}, "duplicateId"
      from jsonb_to_recordset(${sql.json(aliases)}) as a(kind text, value text, "duplicateId" uuid)
    on conflict do nothing`
  await sql`
    update persons set merged_into_id = ${person.id}, updated_at = now()
     where account_id = ${accountId} and merged_into_id = any(${ids}::uuid[])`
  await sql`
    update persons
       set ${sql.unsafe(personalData.persons!.erase!)}, merged_into_id = ${person.id}, updated_at = now()
     where account_id = ${accountId} and id = any(${ids}::uuid[])`
  const custom = Object.assign({}, ...all.toReversed().map(each => each.custom)) as Record<string, string>
  await sql`
    update persons
       set ${sql.assignments(fields)}, company_id = ${first('companyId')}, owner_rep_id = ${first('ownerRepId')},
           photo_url = ${first('photoUrl')}, custom = ${sql.json(custom)}, updated_at = now()
     where account_id = ${accountId} and id = ${person.id}`
}

/**
 * Finds the prospects that a reply from another of these persons would have paused if the persons had already been
 * merged. Ignores automatic replies, and persons whose sequences a user has resumed since their reply.
 */
async function findRepliedElsewhere(sql: Sql, personIds: readonly string[]): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select r.id
      from prospects r
     where r.account_id = current_account_id() and r.person_id = any(${[...personIds]}::uuid[])
       and ${isPausable(sql, sql`r`)}
       and exists (
         select from persons p
          cross join lateral (
                 select sent_at as at from (${sql.unsafe(personEmails)}) m
                  where type = 'received' and status = 'sent' and received_kind is distinct from 'auto_reply'
                  union all
                 select m.happened_at
                   from linkedin_conversations v
                   join linkedin_messages m on m.account_id = v.account_id and m.conversation_record_id = v.id
                  where v.account_id = p.account_id and v.person_id = p.id and m.type = 'received' and m.status = 'sent') reply
          where p.account_id = r.account_id and p.id = any(${[...personIds]}::uuid[]) and p.id <> r.person_id
            and reply.at > r.created_at
            and (not exists (
                   select from prospects o
                    where o.account_id = p.account_id and o.person_id = p.id and o.created_at < reply.at
                      and ${isPausable(sql, sql`o`)})
                 or exists (
                   select from prospects o
                    where o.account_id = p.account_id and o.person_id = p.id
                      and (o.status = 'replied' or o.status = 'paused' and o.status_reason = 'replied_elsewhere'))))`
  return rows.map(({ id }) => id)
}

/**
 * Pauses the person's open prospects if one of their identifiers is on the Do Not Contact list; returns the campaigns.
 */
async function pauseOptedOut(ctx: Context, personId: string): Promise<string[]> {
  const { sql, accountId } = ctx
  if (!(await findPersonOptOut(ctx, personId))) return []
  const rows = await sql<{ campaignId: string }[]>`
    update prospects
       set status = 'paused', status_reason = 'do_not_contact', updated_at = now()
     where account_id = ${accountId} and person_id = ${personId} and status in ${openStatuses(sql)}
    returning campaign_id as "campaignId"`
  return rows.map(({ campaignId }) => campaignId)
}
