import { randomUUIDv7 } from 'node:crypto'
import { countries } from '../../../contract/countries.ts'
import type { Pool, Sql } from '../../kernel/db/database.ts'
import { invalid } from '../../kernel/errors.ts'
import { isTimezone } from '../../protocols/identity/timezone.ts'
import { type Author, audit } from './audit-log.ts'
import { findVerifiedUser } from './users.ts'

/** An account as shown to the installation's administrator. */
export type AccountSummary = {
  id: string
  name: string
  timezone: string
  defaultCountry: string | null
  members: number
  createdAt: Date
}

type NewAccount = {
  name: string
  ownerEmail?: string | undefined
  timezone?: string | undefined
  country?: string | undefined
  postalAddress?: string | undefined
  optOutLine?: string | undefined
}

/** Creates an account, with its first owner when `ownerEmail` is given. */
export const createAccount = (auth: Pool, account: NewAccount, author: Author): Promise<AccountSummary> =>
  auth.begin(tx => insertAccount(tx, account, author)) as Promise<AccountSummary>

/** Creates an account within a transaction. */
export async function insertAccount(
  sql: Sql,
  { name, ownerEmail, timezone = 'UTC', country, postalAddress, optOutLine }: NewAccount,
  author: Author,
): Promise<AccountSummary> {
  if (!isTimezone(timezone)) throw invalid('timezone', 'must be an IANA time zone, such as Europe/Lisbon')
  if (country && !countries.includes(country.toUpperCase()))
    throw invalid('country', 'must be the two-letter code of a country with phone numbers, such as GB')
  const id = randomUUIDv7()
  const owner = ownerEmail === undefined ? undefined : await findVerifiedUser(sql, ownerEmail)
  await sql`
    insert into accounts (id, name, timezone, default_country, postal_address, opt_out_line)
    values (${id}, ${name}, ${timezone}, ${country?.toUpperCase() ?? null}, ${postalAddress ?? null},
            ${optOutLine ?? null})`
  if (owner) await sql`insert into members (account_id, user_id, role) values (${id}, ${owner.id}, 'owner')`
  await audit({ ...author, sql, accountId: id }, 'create', 'account', id)
  const [account] = await listAccounts(sql, { id })
  return account!
}

/** Lists accounts, oldest first, optionally only those with this ID or exact name. */
export const listAccounts = (
  auth: Sql,
  { id, name, limit }: { id?: string; name?: string; limit?: number } = {},
) => auth<AccountSummary[]>`
  select a.id, a.name, a.timezone, a.default_country as "defaultCountry", a.created_at as "createdAt",
         (select count(*)::int from members m where m.account_id = a.id) as members
    from accounts a
   where true
     ${id ? auth`and a.id = ${id}` : auth``}
     ${name ? auth`and a.name = ${name}` : auth``}
   order by a.created_at, a.id
   limit ${limit ?? null}`
