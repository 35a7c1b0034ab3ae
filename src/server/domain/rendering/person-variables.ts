import type { TemplateVariable } from '../../../contract/campaigns.ts'
import { mapPersonVariables } from '../../../contract/person-fields.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { senderEmail } from '../mailboxes/stored-aliases.ts'
import type { CustomValues } from '../people/custom-fields/custom-values.ts'
import { selectCustomValues } from '../people/custom-fields/custom-values.ts'
import { personColumns } from '../people/persons/person-columns.ts'
import type { PersonFacts } from '../people/persons/write-persons.ts'

/** Built-in variables and custom fields. */
export type Variables = Record<TemplateVariable, string | null> & CustomValues

/** The columns of `personVariableColumns` and of the sender. */
export type VariablesRow = PersonFacts & {
  company: string | null
  companyDomain: string | null
  custom: CustomValues
  repName: string | null
  senderName: string | null
  mailboxEmail: string | null
  signature: string | null
}

/** Selects the columns of a person `p` and their company `o`. */
export const personVariableColumns = (sql: Sql): Fragment => sql`
  ${sql.unsafe(personColumns.selected)}, o.name as company, o.domain as "companyDomain", ${selectCustomValues(sql)} as custom`

export const toVariables = (row: VariablesRow): Variables => ({
  ...row.custom,
  ...mapPersonVariables(field => row[field]),
  fullName: [row.firstName, row.lastName].filter(Boolean).join(' ') || null,
  company: row.company,
  companyDomain: row.companyDomain,
  repName: row.repName,
  senderName: row.senderName,
  senderEmail: row.mailboxEmail,
  signature: row.signature,
})

/** Returns the variables of a person to whom the rep writes outside campaigns; undefined if there is no such person. */
export async function findPersonVariables(
  { sql, accountId }: { sql: Sql; accountId: string },
  { personId, repId }: { personId: string; repId: string | undefined },
): Promise<Variables | undefined> {
  const [row] = await sql<VariablesRow[]>`
    select ${personVariableColumns(sql)}, e.name as "repName", coalesce(b.sender_name, e.name) as "senderName",
           b.email as "mailboxEmail", e.signature
      from persons p
      left join companies o on o.account_id = p.account_id and o.id = p.company_id
      left join reps e on e.account_id = p.account_id and e.id = ${repId ?? null}
      left join lateral (
             select b.sender_name, ${senderEmail(sql)} as email
               from mailboxes b
              where b.account_id = e.account_id and b.rep_id = e.id and b.status = 'active' and b.removed_at is null
              order by b.created_at, b.id
              limit 1) b on true
     where p.account_id = ${accountId} and p.id = ${personId}`
  return row && toVariables(row)
}
