import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import type { ConnectionOptions } from '../src/server/kernel/db/session.ts'

/**
 * Input of the baseline server for the request cases, read as JSON from standard input. The server uses node:http and
 * pipelined node-postgres with the same SQL and parameters, without tokens, roles, row-level security, rate limits or
 * logging.
 */
export type BaselineInput = {
  connection: ConnectionOptions
  reads: Record<string, { text: string; parameters: unknown[] }>
  accountId: string
  campaignId: string
}

const chunks: Buffer[] = []
for await (const chunk of process.stdin) chunks.push(chunk)
const { connection, reads, accountId, campaignId } = JSON.parse(
  Buffer.concat(chunks).toString(),
) as BaselineInput
const clients = await Promise.all(
  Array.from({ length: 10 }, async () => {
    const client = new pg.Client({ ...connection, pipeline: true })
    await client.connect()
    return client
  }),
)
let next = 0
const query = (name: string, text: string, values: unknown[]) => {
  next = (next + 1) % clients.length
  return clients[next]!.query<{ json: string }>({ name, text, values })
}

async function read(name: string): Promise<string> {
  const { text, parameters } = reads[name]!
  const { rows } = await query(name, text, parameters)
  return `{"data":[${rows
    .slice(0, 10)
    .map(row => row.json)
    .join(',')}],"hasMore":${rows.length > 10}}`
}

/** Inserts persons and prospects without lookups, opt-outs or outcomes. */
async function addProspects(body: string): Promise<string> {
  const text = `
    with added as (
      insert into persons (account_id, id, first_name, last_name, email)
      select $1, gen_random_uuid(), "firstName", "lastName", email
        from json_to_recordset($3) as d("firstName" text, "lastName" text, email text)
      returning id)
    insert into prospects (account_id, id, campaign_id, person_id)
    select $1, gen_random_uuid(), $2, id from added`
  await query('add-prospects', text, [accountId, campaignId, JSON.stringify(JSON.parse(body).data)])
  return '{}'
}

async function addOptOuts(body: string): Promise<string> {
  const text = `
    insert into opt_outs (account_id, id, kind, value)
    select $1, gen_random_uuid(), 'email', identifier from json_to_recordset($2) as d(identifier text)
    on conflict do nothing`
  await query('add-opt-outs', text, [accountId, JSON.stringify(JSON.parse(body).identifiers)])
  return '{}'
}

const server = createServer((request, response) => {
  const parts: Buffer[] = []
  request.on('data', part => parts.push(part))
  request.on('end', () => {
    const name = decodeURIComponent(request.url!.slice(1))
    const body = Buffer.concat(parts).toString()
    const result =
      name === 'add-prospects'
        ? addProspects(body)
        : name.startsWith('add-opt-outs')
          ? addOptOuts(body)
          : read(name)
    result.then(
      text => response.writeHead(200, { 'content-type': 'application/json' }).end(text),
      error => response.writeHead(500).end(String(error)),
    )
  })
})
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  console.log(JSON.stringify({ url: `http://127.0.0.1:${port}` }))
})
