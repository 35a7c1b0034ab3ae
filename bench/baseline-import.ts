import { createReadStream } from 'node:fs'
import { parse } from 'csv-parse'
import pg from 'pg'
import type { ConnectionOptions } from '../src/server/kernel/db/session.ts'

/**
 * The target of the `import-csv` baseline, which parses the same file with csv-parse and runs both inserts in
 * the same chunks, without lookups, opt-outs or outcomes. The arguments are the file and the target as JSON.
 */
export type ImportTarget = {
  connection: ConnectionOptions
  accountId: string
  campaignId: string
}

const [file = '', target = ''] = process.argv.slice(2)
const { connection, accountId, campaignId } = JSON.parse(target) as ImportTarget
const client = new pg.Client(connection)
await client.connect()

async function insert(rows: object[]): Promise<void> {
  const text = `
    with added as (
      insert into persons (account_id, id, first_name, last_name, email)
      select $1, gen_random_uuid(), "First Name", "Last Name", "Email"
        from jsonb_to_recordset($3) as d("First Name" text, "Last Name" text, "Email" text)
      returning id)
    insert into prospects (account_id, id, campaign_id, person_id)
    select $1, gen_random_uuid(), $2, id from added`
  await client.query({ name: 'insert', text, values: [accountId, campaignId, JSON.stringify(rows)] })
}

let chunk: object[] = []
for await (const row of createReadStream(file).pipe(parse({ columns: true }))) {
  if (chunk.push(row) < 1_000) continue
  await insert(chunk)
  chunk = []
}
if (chunk.length > 0) await insert(chunk)
await client.end()
