import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import postgres from 'postgres'

/**
 * The bare limit: node:http and postgres.js, the same SQL with the same parameters, and nothing else: no token, no
 * role, no row-level security, no limits, no log. Started by the bench with its statements on standard input.
 */
export type BareStatements = {
  connection: postgres.Options<Record<string, postgres.PostgresType>>
  reads: Record<string, { text: string; parameters: never[] }>
  accountId: string
  campaignId: string
}

const chunks: Buffer[] = []
for await (const chunk of process.stdin) chunks.push(chunk)
const { connection, reads, accountId, campaignId } = JSON.parse(
  Buffer.concat(chunks).toString(),
) as BareStatements
const sql = postgres({ ...connection, max: 10, onnotice: () => {} })

async function read(name: string): Promise<string> {
  const { text, parameters } = reads[name]!
  const rows = await sql.unsafe<{ json: string }[]>(text, parameters, { prepare: true })
  return `{"data":[${rows
    .slice(0, 10)
    .map(row => row.json)
    .join(',')}],"hasMore":${rows.length > 10}}`
}

/** The least that adding people can be: both inserts, no look-up, no opt-outs, no outcome. */
async function addProspects(body: string): Promise<string> {
  await sql.begin(async tx => {
    await tx`
      with added as (
        insert into persons (account_id, id, first_name, last_name, email)
        select ${accountId}, gen_random_uuid(), "firstName", "lastName", email
          from json_to_recordset(${JSON.parse(body).data}::json) as d("firstName" text, "lastName" text, email text)
        returning id)
      insert into prospects (account_id, id, campaign_id, person_id)
      select ${accountId}, gen_random_uuid(), ${campaignId}, id from added`
  })
  return '{}'
}

async function addOptOuts(body: string): Promise<string> {
  await sql`
    insert into opt_outs (account_id, id, kind, value)
    select ${accountId}, gen_random_uuid(), 'email', identifier
      from json_to_recordset(${JSON.parse(body).identifiers}::json) as d(identifier text)
    on conflict do nothing`
  return '{}'
}

const server = createServer((request, response) => {
  const parts: Buffer[] = []
  request.on('data', part => parts.push(part))
  request.on('end', () => {
    const name = decodeURIComponent(request.url!.slice(1))
    const body = Buffer.concat(parts).toString()
    const answer =
      name === 'add-prospects'
        ? addProspects(body)
        : name.startsWith('add-opt-outs')
          ? addOptOuts(body)
          : read(name)
    answer.then(
      text => response.writeHead(200, { 'content-type': 'application/json' }).end(text),
      error => response.writeHead(500).end(String(error)),
    )
  })
})
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  console.log(JSON.stringify({ url: `http://127.0.0.1:${port}` }))
})
