import type { OperationName } from '../src/contract/index.ts'
import { operations } from '../src/contract/index.ts'
import { fieldTypes, readQuery } from '../src/server/adapters/http/input.ts'
import { createApiToken } from '../src/server/domain/auth/stored-api-tokens.ts'
import { type Handler, handlers } from '../src/server/handlers.ts'
import type { App, Context } from '../src/server/kernel/context.ts'
import { connect } from '../src/server/kernel/db/database.ts'
import type { ConnectionOptions } from '../src/server/kernel/db/session.ts'
import { createSql } from '../src/server/kernel/db/sql.ts'
import type { BareStatements } from './bare.ts'
import { type Case, urlOf } from './cases.ts'
import type { Target } from './measure.ts'
import { overture, startServer } from './process.ts'
import type { World } from './seed.ts'
import type { WriteCase } from './writes.ts'

export type Side = { target: Target; pid: number }
export type Pair = { name: string; ours: Side; limit: Side }
export type Rig = AsyncDisposable & { pairs: Pair[]; pid: number }

type Options = {
  app: App
  connection: ConnectionOptions
  dataDir: string
  world: World
  cases: Case[]
  writes: WriteCase[]
}

/** Both servers as processes of their own on one PostgreSQL, and for every case what to ask of each. */
export async function openRig({ app, connection, dataDir, world, cases, writes }: Options): Promise<Rig> {
  await using opened = new AsyncDisposableStack()
  const tokenOf = async (userId: string) =>
    (await createApiToken(app.db.auth, { userId, name: 'bench' })).token
  const owner = { authorization: `Bearer ${await tokenOf(world.userId)}` }
  const member = { authorization: `Bearer ${await tokenOf(world.memberId)}` }
  const ours = opened.use(
    await startServer([overture, 'serve', '--json', '--port', '0', '--data', dataDir, '--role', 'web'], {
      RATE_LIMIT_PER_MINUTE: '1000000',
      WRITE_LIMIT_PER_MINUTE: '1000000',
    }),
  )
  const reads: BareStatements['reads'] = {}
  const cursors = new Map<string, string>()
  for (const one of cases) {
    if (one.depth) cursors.set(one.name, await walk(ours.url, one.isMember ? member : owner, one, one.depth))
    reads[one.name] = await statementOf(app, connection, world, one, cursors.get(one.name))
  }
  const statements: BareStatements = {
    connection,
    reads,
    accountId: world.accountId,
    campaignId: world.emptyCampaignId,
  }
  const bare = opened.use(await startServer([process.execPath, 'bare.ts'], {}, JSON.stringify(statements)))
  const all = opened.move()
  const pair = (name: string, path: string, rest: Partial<Target>): Pair => ({
    name,
    ours: { target: { url: ours.url + path, headers: owner, ...rest }, pid: ours.pid },
    limit: { target: { url: `${bare.url}/${encodeURIComponent(name)}`, ...rest }, pid: bare.pid },
  })
  return {
    pid: ours.pid,
    pairs: [
      ...cases.map(one =>
        pair(one.name, urlOf(one, cursors.get(one.name)), one.isMember ? { headers: member } : {}),
      ),
      ...writes.map(({ name, path, ...rest }) => pair(name, path, rest)),
    ],
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

/** The very statement a list sends, with the account as a plain value where ours sets it for row-level security. */
async function statementOf(
  app: App,
  connection: Options['connection'],
  world: World,
  { operation, input, isMember }: Case,
  cursor: string | undefined,
): Promise<BareStatements['reads'][string]> {
  let statement: BareStatements['reads'][string] | undefined
  const pool = connect({ options: connection }, { max: 1 })
  const sql = createSql((text, parameters) => {
    if (text.includes('app.account_id')) statement = { text, parameters: parameters ?? [] }
    return pool.send(text, parameters)
  })
  const ctx: Context = {
    app,
    sql,
    accountId: world.accountId,
    userId: isMember ? world.memberId : world.userId,
    role: isMember ? 'member' : 'owner',
    actor: 'bench',
    isReadOnly: true,
    requestId: 'bench',
    afterCommit: () => {},
  }
  const { input: schema } = operations[operation]
  const query = readQuery(fieldTypes(operations[operation]), {
    limit: '10',
    ...input,
    ...(cursor && { cursor }),
  })
  await (handlers[operation] as Handler<OperationName>)(ctx, schema.parse(Object.fromEntries(query)) as never)
  await pool.end()
  if (!statement) throw new Error(`${operation} sent no statement that names its account`)
  return {
    ...statement,
    text: statement.text
      .replace(/set_config\('app\.account_id', (\$\d+), true\)/, '$1')
      .replace(/nullif\(set_config\('app\.user_id', (\$\d+), true\), ''\)/, '$1'),
  }
}

/** The cursor behind the first `depth` rows of a list. */
async function walk(url: string, headers: Record<string, string>, one: Case, depth: number): Promise<string> {
  let cursor: string | undefined
  for (let passed = 0; passed < depth; passed += 100) {
    const answer = await fetch(url + urlOf({ ...one, input: { ...one.input, limit: '100' } }, cursor), {
      headers,
    })
    const page = (await answer.json()) as { next?: string; message?: string }
    if (!page.next) throw new Error(`${one.name} ends before row ${depth}: ${page.message ?? ''}`)
    cursor = page.next
  }
  return cursor as string
}
