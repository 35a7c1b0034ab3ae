import { type Context, withAccount } from '../../kernel/context.ts'

type Row = Record<string, unknown>

/** Name field added for each ID field. Everyone who may see the ID may see the name. */
const nameFields: Record<string, string> = {
  prospectId: 'prospectName',
  personId: 'personName',
  campaignId: 'campaignName',
  companyId: 'companyName',
  repId: 'repName',
  assistantId: 'assistantName',
}

/**
 * Adds names next to the IDs of these objects, in one query; the names of reps replace `repIds`. Omits names of people
 * if all rows are about the same person.
 */
export async function addNames(
  { app, accountId }: Context,
  rows: Row[],
  isAboutOnePerson: boolean,
): Promise<void> {
  const ids = (field: string) =>
    [...new Set(rows.flatMap(row => row[field]).filter(id => typeof id === 'string'))] as string[]
  if (!rows.some(row => [...Object.keys(nameFields), 'repIds'].some(field => field in row))) return
  const sql = app.db.app
  const found = await sql<{ field: string; id: string; name: string }[]>`
    select named.* from ${withAccount({ sql, accountId })} cross join lateral (
      select 'prospectId' as field, r.id, concat_ws(' ', p.first_name, p.last_name) as name
        from prospects r join persons p on p.account_id = r.account_id and p.id = r.person_id
       where r.account_id = s.account_id and r.id = any(${ids('prospectId')}::uuid[])
      union all
      select 'personId', id, concat_ws(' ', first_name, last_name) from persons
       where account_id = s.account_id and id = any(${ids('personId')}::uuid[])
      union all
      select 'campaignId', id, name from campaigns
       where account_id = s.account_id and id = any(${ids('campaignId')}::uuid[])
      union all
      select 'companyId', id, name from companies
       where account_id = s.account_id and id = any(${ids('companyId')}::uuid[])
      union all
      select 'repId', id, name from reps
       where account_id = s.account_id and id = any(${[...ids('repId'), ...ids('repIds')]}::uuid[])
      union all
      select 'assistantId', id, name from assistants
       where account_id = s.account_id and id = any(${ids('assistantId')}::uuid[])) named`
  const names = new Map(found.map(({ field, id, name }) => [`${field} ${id}`, name]))
  for (const row of rows) {
    for (const [field, nameField] of Object.entries(nameFields)) {
      const name = names.get(`${field} ${row[field]}`)
      if (isAboutOnePerson && isPersonName(nameField)) continue
      if (name && !isNamed(row, nameField, name)) row[nameField] = name
    }
    const { repIds } = row
    if (Array.isArray(repIds)) {
      delete row.repIds
      row.reps = repIds.map(id => names.get(`repId ${id}`) ?? id)
    }
  }
}

/** Returns whether the row already has the name, or the first and last name of its person. */
const isNamed = (row: Row, nameField: string, name: string): boolean =>
  (nameField !== 'repName' && Object.values(row).includes(name)) ||
  (isPersonName(nameField) && (row.person ?? row.firstName) !== undefined)

const isPersonName = (nameField: string): boolean => ['prospectName', 'personName'].includes(nameField)
