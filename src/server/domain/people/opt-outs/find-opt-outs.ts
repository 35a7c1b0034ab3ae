import type { App } from '../../../kernel/context.ts'
import type { Fragment, Sql } from '../../../kernel/db/database.ts'
import { getEmailDomain } from '../../../protocols/identity/email.ts'
import type { OptOutIdentifier } from '../../../protocols/identity/opt-out-identifier.ts'
import { hashIdentifier, type OptOutList } from './erased-identifiers.ts'

/**
 * A person's contact details in canonical form; aliases are looked up by the person's ID. An alias that bounced blocks
 * nobody, because a bounce blocks only the address.
 */
export type Contact = {
  personId: string | null | undefined
  emails?: readonly string[]
  linkedinUrl?: string | null | undefined
  phone?: string | null | undefined
  /** The number to call, which may differ from the one on file. */
  calledPhone?: string | null | undefined
}

const phoneKinds = ['phone', 'sms', 'whatsapp'] as const

/** Returns SQL for the kinds of entries that block an identifier of the given kind. */
export const unnestBlockingKinds = (kind: string): string =>
  `unnest(case ${kind} when 'phone' then array['${phoneKinds.join("', '")}'] else array[${kind}] end)`

/** Returns all entries that would block this contact; a domain includes its subdomains. */
const getBlockingEntries = ({
  emails = [],
  linkedinUrl,
  phone,
  calledPhone,
}: Omit<Contact, 'personId'>): OptOutIdentifier[] => [
  ...emails.flatMap(email => [
    { kind: 'email' as const, value: email },
    ...listDomainAndParents(getEmailDomain(email)).map(value => ({
      kind: 'domain' as const,
      value,
    })),
  ]),
  ...(linkedinUrl ? [{ kind: 'linkedin' as const, value: linkedinUrl }] : []),
  ...[calledPhone, phone].flatMap(value => (value ? phoneKinds.map(kind => ({ kind, value })) : [])),
]

/** Returns the condition that an entry blocks person `p`, by the same rules as `findOptOut`. For reads only. */
export const isOptedOut = (sql: Sql, app: Pick<App, 'keys'>): Fragment =>
  sql`exists (${selectPersonOptOuts(sql, app)})`

/**
 * Selects the source of the entry that blocks person `p`; null if there is none. Prefers any other source to a bounce.
 * Doesn't sort the entries, because that would add so much estimated cost to every plan that PostgreSQL's planner would
 * no longer distinguish between ways to find the persons.
 */
export const selectOptOutSource = (sql: Sql, app: Pick<App, 'keys'>): Fragment => sql`
  (select case first.source
          when 'bounce' then coalesce((${selectPersonOptOuts(sql, app)} where o.source <> 'bounce' limit 1), 'bounce')
          else first.source end
     from (${selectPersonOptOuts(sql, app)} limit 1) first)`

/** Selects the sources of the entries that block person `p`. */
const selectPersonOptOuts = (sql: Sql, app: Pick<App, 'keys'>): Fragment => sql`
  select o.source
    from (select kind, value, false as is_alias
            from unnest(array['email', 'linkedin', 'phone'], array[p.email, p.linkedin_url, p.phone]) own(kind, value)
          union all
          select kind, value, true from person_aliases where account_id = p.account_id and person_id = p.id) i
   cross join lateral (
           select kinds.kind, unnest(array[i.value, ${hashIdentifier(sql, app, {
             accountId: sql`p.account_id`,
             kind: sql`kinds.kind`,
             value: sql`i.value`,
           })}]) as value
             from ${sql.unsafe(unnestBlockingKinds('i.kind'))} kinds(kind)
           union all
           select 'domain', array_to_string(labels[n:], '.')
             from (select string_to_array(substring(i.value from '[^@]*$'), '.') as labels) host,
                  generate_subscripts(labels, 1) n
            where i.kind = 'email') e
   cross join lateral (
           select source from opt_outs
            where account_id = p.account_id and kind = e.kind and value = e.value
              and not (i.is_alias and source = 'bounce')
            limit 1) o`

const listDomainAndParents = (domain: string): string[] =>
  domain.split('.').map((_, index, labels) => labels.slice(index).join('.'))

/**
 * Finds an entry that blocks this contact. Called when a message or call is planned and again before it is sent or
 * placed.
 */
export const findOptOut = async (list: OptOutList, contact: Contact): Promise<OptOutIdentifier | undefined> =>
  (await findOptOutForEach(list, [contact]))[0]

/** Finds an entry that blocks a person, by the contact details on file. */
export async function findPersonOptOut(
  list: OptOutList,
  personId: string,
): Promise<OptOutIdentifier | undefined> {
  const [person] = await list.sql<
    { email: string | null; linkedinUrl: string | null; phone: string | null }[]
  >`
    select email, linkedin_url as "linkedinUrl", phone
      from persons where account_id = ${list.accountId} and id = ${personId}`
  return findOptOut(list, { ...person, personId, emails: person?.email ? [person.email] : [] })
}

type BlockedContact = OptOutIdentifier & { index: number }

/** Finds an entry that blocks each contact, in the given order. Includes the entries of erased people. */
export async function findOptOutForEach(
  { sql, accountId, app }: OptOutList,
  contacts: readonly Contact[],
): Promise<(OptOutIdentifier | undefined)[]> {
  const entries = contacts.flatMap((contact, index) =>
    getBlockingEntries(contact).map(entry => ({ ...entry, index })),
  )
  const persons = contacts.flatMap(({ personId }, index) => (personId ? [{ personId, index }] : []))
  if (entries.length + persons.length === 0) return contacts.map(() => undefined)
  const [row] = await sql<{ isVisible: boolean; found: BlockedContact[] | null }[]>`
    with given as (
      select contact, position, kind, value
        from unnest(${entries.map(entry => entry.index)}::int[], ${entries.map(entry => entry.kind)}::text[],
                    ${entries.map(entry => entry.value)}::text[])
             with ordinality entry(contact, kind, value, position)
       union all
      select person.contact, null, covered.kind, covered.value
        from unnest(${persons.map(person => person.index)}::int[], ${persons.map(person => person.personId)}::uuid[])
             person(contact, id)
       cross join lateral (
              select kind, value from person_aliases where account_id = ${accountId} and person_id = person.id limit 1000) a
       cross join lateral (
              select ${sql.unsafe(unnestBlockingKinds('a.kind'))}, a.value
               union all
              select 'domain', unnest(domain_and_parents(split_part(a.value, '@', 2))) where a.kind = 'email') covered(kind, value))
    select coalesce(current_account_id() = ${accountId}, false) as "isVisible",
           (select json_agg(json_build_object('index', e.contact, 'kind', e.kind, 'value', e.value)
                            order by e.contact, e.position nulls last)
              from (select *, ${hashIdentifier(sql, app, {
                accountId: sql`${accountId}::uuid`,
                kind: sql`kind`,
                value: sql`value`,
              })} as hash
                      from given
                    offset 0) e
             -- The subselect hides the account from the planner, which would read all entries of a kind if the account
             -- has no statistics.
             cross join lateral (
                     select from opt_outs
                      where account_id = (select ${accountId}::uuid) and kind = e.kind and value in (e.value, e.hash)
                        -- A bounced alias, which has no position, doesn't block the person.
                        and not (e.position is null and source = 'bounce')
                      limit 1) o) as found`
  // Outside its account, the list looks empty, which would allow every message.
  if (!row?.isVisible) throw new Error('The Do Not Contact list was queried outside of its account.')
  const first = new Map(row.found?.reverse().map(entry => [entry.index, entry]))
  return contacts.map((_, index) => {
    const entry = first.get(index)
    return entry && { kind: entry.kind, value: entry.value }
  })
}
