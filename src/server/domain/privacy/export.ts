import type { Input, Output } from '../../../contract/index.ts'
import { type Context, inAccount } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import { Json } from '../../kernel/json.ts'
import { findRecords } from './find-records.ts'
import { isAbout, personalData } from './personal-data.ts'

/** Returns all rows about a person, by table. */
export const exportPerson = (
  { app, accountId }: Context,
  { personId }: Input<'exportPerson'>,
): Promise<Json<Output<'exportPerson'>>> =>
  inAccount(app.db.app, accountId, async sql => {
    const records = await findRecords({ sql, accountId }, personId)
    if (!records) throw notFound('person')
    const sections: string[] = []
    for (const table of Object.keys(personalData)) {
      const [section] = await sql<{ json: string | null }[]>`
        select jsonb_agg(to_jsonb(t) - 'account_id')::text as json
          from (select * from ${sql.identifier(table)}
                 where account_id = ${accountId} and (${isAbout(sql, table, records)})) t`
      if (section?.json) sections.push(`${JSON.stringify(table)}:${section.json}`)
    }
    return new Json(`{"personId":"${personId}","data":{${sections.join(',')}}}`)
  })
