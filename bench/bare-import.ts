import { createReadStream } from 'node:fs'
import { parse } from 'csv-parse'
import postgres from 'postgres'

/**
 * The least that an import can be: the same file through csv-parse, both inserts in the same chunks, and nothing
 * else: no look-up, no opt-outs, no outcome. Started by the bench: FILE and, as JSON, where to put its rows.
 */
export type BareImport = {
  connection: postgres.Options<Record<string, postgres.PostgresType>>
  accountId: string
  campaignId: string
}

const [file = '', target = ''] = process.argv.slice(2)
const { connection, accountId, campaignId } = JSON.parse(target) as BareImport
const sql = postgres({ ...connection, max: 1, onnotice: () => {} })

async function insert(rows: object[]): Promise<void> {
  await sql`
    with added as (
      insert into persons (account_id, id, first_name, last_name, email)
      select ${accountId}, gen_random_uuid(), "First Name", "Last Name", "Email"
        from jsonb_to_recordset(${sql.json(rows as never)}) as d("First Name" text, "Last Name" text, "Email" text)
      returning id)
    insert into prospects (account_id, id, campaign_id, person_id)
    select ${accountId}, gen_random_uuid(), ${campaignId}, id from added`
}

let chunk: object[] = []
for await (const row of createReadStream(file).pipe(parse({ columns: true }))) {
  if (chunk.push(row) < 1_000) continue
  await insert(chunk)
  chunk = []
}
if (chunk.length > 0) await insert(chunk)
await sql.end()
