import type { Context } from '../../../kernel/context.ts'
import type { Fragment, Sql } from '../../../kernel/db/database.ts'
import type { OptOutIdentifier } from '../../../protocols/identity/opt-out-identifier.ts'

/** What is known of somebody, in canonical form. */
export type Contact = {
  emails?: readonly string[]
  linkedinUrl?: string | null | undefined
  phone?: string | null | undefined
}

/** Every entry of the list that would block this contact; a domain covers what lies below it. */
export const blockersOf = ({ emails = [], linkedinUrl, phone }: Contact): OptOutIdentifier[] => [
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

/** Whether an entry of the list blocks the person `p`, for a read: the same entries as blockersOf gives. */
export const isOptedOut = (sql: Sql): Fragment => sql`
  exists (select
            from (select *
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

/** The entry that blocks this contact, if any. Asked before every message and call, and when one is planned. */
export const findOptOut = async (
  who: Pick<Context, 'sql' | 'accountId'>,
  contact: Contact,
): Promise<OptOutIdentifier | undefined> => (await findOptOuts(who, blockersOf(contact)))[0]

/** The same of several at once, in their order. */
export async function findOptOutOfEach(
  who: Pick<Context, 'sql' | 'accountId'>,
  contacts: readonly Contact[],
): Promise<(OptOutIdentifier | undefined)[]> {
  const nameOf = ({ kind, value }: OptOutIdentifier) => `${kind} ${value}`
  const entries = contacts.map(blockersOf)
  const asked = new Map(entries.flat().map(entry => [nameOf(entry), entry]))
  const found = new Set((await findOptOuts(who, [...asked.values()])).map(nameOf))
  return entries.map(of => of.find(entry => found.has(nameOf(entry))))
}

/** Which of these entries are on the list, in the order given. */
export async function findOptOuts(
  { sql, accountId }: Pick<Context, 'sql' | 'accountId'>,
  entries: readonly OptOutIdentifier[],
): Promise<OptOutIdentifier[]> {
  if (entries.length === 0) return []
  const [row] = await sql<{ isVisible: boolean; found: number[] }[]>`
    select coalesce(current_account_id() = ${accountId}, false) as "isVisible",
           array(
             select e.position::int
               from unnest(${entries.map(entry => entry.kind)}::text[], ${entries.map(entry => entry.value)}::text[])
                    with ordinality e(kind, value, position)
              cross join lateral (
                      select from opt_outs
                       where account_id = ${accountId} and kind = e.kind and value = e.value
                       limit 1) o
              order by e.position) as found`
  // Without the account's setting the list looks empty, which here would mean: send.
  if (!row?.isVisible) throw new Error('The Do Not Contact list was asked outside of its account.')
  return row.found.map(position => entries[position - 1]!)
}
