import type { Fragment, Sql } from '../../../kernel/db/database.ts'
import type { Contact } from '../opt-outs/find-opt-outs.ts'
import { selectPersonIds } from './person-aliases.ts'

/** The contact details of the recipient of an email, in the form that `findOptOutForEach` takes. */
export type RecipientContact = Contact & { personId: string }

/**
 * Selects, as a JSON array of `RecipientContact`, the persons with these addresses (an SQL array); null when there are
 * none. A recipient who opted out with another address, profile or number is on the Do Not Contact list too.
 */
export const selectRecipientContacts = (sql: Sql, emails: Fragment, accountId: Fragment): Fragment => sql`
  (select json_agg(json_build_object('personId', recipient.id, 'linkedinUrl', recipient.linkedin_url,
                                     'phone', recipient.phone, 'emails', array_remove(array[recipient.email], null)))
     from (${selectPersonIds(sql, 'email', emails, accountId)}) found
    cross join lateral (
            select * from persons where account_id = ${accountId} and id = found.id limit 1) recipient)`
