import type { OperationName } from '../src/contract/index.ts'
import { operations } from '../src/contract/index.ts'
import { fieldTypes, readQuery } from '../src/server/adapters/http/input.ts'
import { createApiToken } from '../src/server/domain/auth/stored-api-tokens.ts'
import { type Handler, handlers } from '../src/server/handlers.ts'
import type { App, Context } from '../src/server/kernel/context.ts'
import { connect } from '../src/server/kernel/db/database.ts'
import type { ConnectionOptions } from '../src/server/kernel/db/session.ts'
import { createSql } from '../src/server/kernel/db/sql.ts'
import type { BaselineInput } from './baseline-http.ts'
import { type Case, getQuery, getUrl } from './cases.ts'
import type { Target } from './measure.ts'
import { overture, startServer } from './process.ts'
import type { SeededIds } from './seed.ts'
import type { WriteCase } from './writes.ts'

export type Server = { target: Target; pid: number }
export type Pair = { name: string; ours: Server; baseline: Server }
type RequestPairs = AsyncDisposable & { pairs: Pair[]; pid: number }

type Options = {
  app: App
  connection: ConnectionOptions
  dataDir: string
  ids: SeededIds
  cases: Case[]
  writes: WriteCase[]
}

/** Starts both servers on one PostgreSQL and returns the requests of every case. */
export async function openRequestPairs({
  app,
  connection,
  dataDir,
  ids,
  cases,
  writes,
}: Options): Promise<RequestPairs> {
  await using opened = new AsyncDisposableStack()
  const createToken = async (userId: string) =>
    (await createApiToken(app.db.auth, { userId, name: 'bench' })).token
  const owner = { authorization: `Bearer ${await createToken(ids.userId)}` }
  const member = { authorization: `Bearer ${await createToken(ids.memberId)}` }
  const ours = opened.use(
    await startServer([overture, 'serve', '--json', '--port', '0', '--data', dataDir, '--role', 'web'], {
      RATE_LIMIT_PER_MINUTE: '1000000',
      WRITE_LIMIT_PER_MINUTE: '1000000',
    }),
  )
  const reads: BaselineInput['reads'] = {}
  const cursors = new Map<string, string>()
  for (const readCase of cases) {
    if (readCase.depth)
      cursors.set(
        readCase.name,
        await findCursor(ours.url, readCase.isMember ? member : owner, readCase, readCase.depth),
      )
    reads[readCase.name] = await captureStatement(app, connection, ids, readCase, cursors.get(readCase.name))
  }
  const statements: BaselineInput = {
    connection,
    reads,
    accountId: ids.accountId,
    campaignId: ids.emptyCampaignId,
  }
  const baseline = opened.use(
    await startServer([process.execPath, 'baseline-http.ts'], {}, JSON.stringify(statements)),
  )
  const servers = opened.move()
  const pair = (name: string, path: string, rest: Partial<Target>): Pair => ({
    name,
    ours: { target: { url: ours.url + path, headers: owner, ...rest }, pid: ours.pid },
    baseline: { target: { url: `${baseline.url}/${encodeURIComponent(name)}`, ...rest }, pid: baseline.pid },
  })
  return {
    pid: ours.pid,
    pairs: [
      ...cases.map(readCase =>
        pair(
          readCase.name,
          getUrl(readCase, cursors.get(readCase.name)),
          readCase.isMember ? { headers: member } : {},
        ),
      ),
      ...writes.map(({ name, path, ...rest }) => pair(name, path, rest)),
    ],
    [Symbol.asyncDispose]: () => servers.disposeAsync(),
  }
}

/** Captures the statement of a list, with the account ID as a plain value instead of a row-level security setting. */
async function captureStatement(
  app: App,
  connection: Options['connection'],
  ids: SeededIds,
  readCase: Case,
  cursor: string | undefined,
): Promise<BaselineInput['reads'][string]> {
  const { operation, isMember } = readCase
  let statement: BaselineInput['reads'][string] | undefined
  const pool = connect({ options: connection }, { max: 1 })
  const sql = createSql((text, parameters) => {
    // Later statements only read names.
    if (text.includes('app.account_id')) statement ??= { text, parameters: parameters ?? [] }
    return pool.send(text, parameters)
  })
  const ctx: Context = {
    app,
    sql,
    accountId: ids.accountId,
    userId: isMember ? ids.memberId : ids.userId,
    role: isMember ? 'member' : 'owner',
    actor: 'bench',
    isReadOnly: true,
    requestId: 'bench',
    afterCommit: () => {},
  }
  const { input: schema } = operations[operation]
  const query = readQuery(fieldTypes(operations[operation]), getQuery(readCase, cursor))
  await (handlers[operation] as Handler<OperationName>)(ctx, schema.parse(Object.fromEntries(query)) as never)
  await pool.end()
  if (!statement) throw new Error(`${operation} sent no statement for its account`)
  return {
    ...statement,
    text: statement.text
      .replace(/set_config\('app\.account_id', (\$\d+), true\)/, '$1')
      .replace(/nullif\(set_config\('app\.user_id', (\$\d+), true\), ''\)/, '$1'),
  }
}

/** Returns the cursor after the first `depth` rows of a list. */
async function findCursor(
  url: string,
  headers: Record<string, string>,
  readCase: Case,
  depth: number,
): Promise<string> {
  let cursor: string | undefined
  for (let skipped = 0; skipped < depth; skipped += 100) {
    const response = await fetch(
      url + getUrl({ ...readCase, input: { ...readCase.input, limit: '100' } }, cursor),
      {
        headers,
      },
    )
    const page = (await response.json()) as { next?: string; message?: string }
    if (!page.next) throw new Error(`${readCase.name} ends before row ${depth}: ${page.message ?? ''}`)
    cursor = page.next
  }
  return cursor as string
}
