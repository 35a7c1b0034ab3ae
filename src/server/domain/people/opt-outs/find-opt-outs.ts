import type { App } from '../../../kernel/context.ts'
import type { Fragment, Sql } from '../../../kernel/db/database.ts'
import type { OptOutIdentifier } from '../../../protocols/identity/opt-out-identifier.ts'
import { hashIdentifier, type OptOutList } from './erased-identifiers.ts'

/** A person's contact details in canonical form. */
export type Contact = {
  emails?: readonly string[]
  linkedinUrl?: string | null | undefined
  phone?: string | null | undefined
}

/** Returns all entries that would block this contact; a domain includes its subdomains. */
export const getBlockingEntries = ({ emails = [], linkedinUrl, phone }: Contact): OptOutIdentifier[] => [
  ...emails.flatMap(email => [
    { kind: 'email' as const, value: email },
    ...domainAndParents(email.slice(email.lastIndexOf('@') + 1)).map(value => ({
      kind: 'domain' as const,
      value,
    })),
  ]),
  ...(linkedinUrl ? [{ kind: 'linkedin' as const, value: linkedinUrl }] : []),
  ...(phone ? (['phone', 'sms', 'whatsapp'] as const).map(kind => ({ kind, value: phone })) : []),
]

/** SQL condition: person `p` is on the list, by the same rules as `getBlockingEntries`. For reads only. */
export const isOptedOut = (sql: Sql, app: Pick<App, 'keys'>): Fragment => sql`
  exists (select
            from (select direct.kind, unnest(array[direct.value, ${hashIdentifier(sql, app, {
              accountId: sql`p.account_id`,
              kind: sql`direct.kind`,
              value: sql`direct.value`,
            })}]) as value
                    from unnest(array['email', 'linkedin', 'phone', 'sms', 'whatsapp'],
                                array[p.email, p.linkedin_url, p.phone, p.phone, p.phone]) direct(kind, value)
                  union all
                  select 'domain', array_to_string(labels[n:], '.')
                    from (select string_to_array(substring(p.email from '[^@]*$'), '.') as labels) host,
                         generate_subscripts(labels, 1) n) e
           cross join lateral (
                   select from opt_outs
                    where account_id = p.account_id and kind = e.kind and value = e.value
                    limit 1) o)`

const domainAndParents = (domain: string): string[] =>
  domain.split('.').map((_, index, labels) => labels.slice(index).join('.'))

/**
 * Finds an entry that blocks this contact. Checked when a message or call is planned and before it is sent or placed.
 */
export const findOptOut = async (list: OptOutList, contact: Contact): Promise<OptOutIdentifier | undefined> =>
  (await findOptOuts(list, getBlockingEntries(contact)))[0]

/** Same for several contacts, in their order. */
export async function findOptOutForEach(
  list: OptOutList,
  contacts: readonly Contact[],
): Promise<(OptOutIdentifier | undefined)[]> {
  const toKey = ({ kind, value }: OptOutIdentifier) => `${kind} ${value}`
  const entries = contacts.map(getBlockingEntries)
  const unique = new Map(entries.flat().map(entry => [toKey(entry), entry]))
  const found = new Set((await findOptOuts(list, [...unique.values()])).map(toKey))
  return entries.map(own => own.find(entry => found.has(toKey(entry))))
}

/** Returns those of the entries that are on the list, in the same order. Those of erased people count. */
export async function findOptOuts(
  { sql, accountId, app }: OptOutList,
  entries: readonly OptOutIdentifier[],
): Promise<OptOutIdentifier[]> {
  if (entries.length === 0) return []
  const [row] = await sql<{ isVisible: boolean; found: number[] }[]>`
    select coalesce(current_account_id() = ${accountId}, false) as "isVisible",
           array(
             select e.position::int
               from (select position, kind, value, ${hashIdentifier(sql, app, {
                 accountId: sql`${accountId}::uuid`,
                 kind: sql`kind`,
                 value: sql`value`,
               })} as hash
                       from unnest(${entries.map(entry => entry.kind)}::text[], ${entries.map(entry => entry.value)}::text[])
                            with ordinality given(kind, value, position)
                     offset 0) e
              cross join lateral (
                      select from opt_outs
                       where account_id = ${accountId} and kind = e.kind and value in (e.value, e.hash)
                       limit 1) o
              order by e.position) as found`
  // Outside of its account the list looks empty, which would allow every message.
  if (!row?.isVisible) throw new Error('The Do Not Contact list was queried outside of its account.')
  return row.found.map(position => entries[position - 1]!)
}
