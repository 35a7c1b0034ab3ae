import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { canonicalEmail } from '../../protocols/identity/email.ts'
import { selectPersonIds } from '../people/persons/person-aliases.ts'

/** Selects the IDs of the persons with these addresses. */
export const selectInvitees = (tx: Sql, emails: readonly string[]): Fragment =>
  selectPersonIds(tx, 'email', tx`${emails.flatMap(email => canonicalEmail(email) ?? [])}::text[]`)

/** Finds the invitee's prospect whose sequence started last. */
export async function findInvitee(tx: Sql, emails: readonly string[]): Promise<string | undefined> {
  const [prospect] = await tx<{ id: string }[]>`
    select r.id
      from (${selectInvitees(tx, emails)}) p
      join prospects r on r.account_id = current_account_id() and r.person_id = p.id
     order by r.began_at desc nulls last, r.created_at desc, r.id desc
     limit 1`
  return prospect?.id
}
