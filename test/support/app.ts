import { randomUUIDv7 } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { OperationName, Output, RawInput } from '../../src/contract/index.ts'
import type { Role } from '../../src/contract/permissions.ts'
import { invoke } from '../../src/server/invoke.ts'
import { readConfig } from '../../src/server/kernel/config.ts'
import type { App, Context, Identity } from '../../src/server/kernel/context.ts'
import { deriveKeys } from '../../src/server/kernel/crypto.ts'
import { openLog } from '../../src/server/kernel/log.ts'
import { openMetrics } from '../../src/server/kernel/metrics.ts'
import { openTestDatabase, type TemplateDatabase, type TestDatabase } from './db/database.ts'

/** An app with a real database and a clock that the test sets; outputs are checked against the contract. */
export type TestApp = App & TestDatabase & { setNow: (at: Date | string) => void; dataDir: string }

/** The secret that keys and cursors derive from, in every process of a test. */
export const testSecret = 'a secret that is long enough for a test'

export async function openTestApp(
  settings: Record<string, string> = {},
  template?: TemplateDatabase,
): Promise<TestApp> {
  const database = await openTestDatabase(template)
  const dataDir = await mkdtemp(join(tmpdir(), 'overture-test-'))
  let now: Date | undefined
  return {
    ...database,
    config: readConfig(
      {},
      {
        OVERTURE_DATA: dataDir,
        CHECK_OUTPUT: '1',
        LOG_LEVEL: 'silent',
        // No name server listens here: tests must not query the internet.
        DNS_SERVERS: '127.0.0.1:9',
        MAIL_SETTINGS_URL: 'none',
        ...settings,
      },
    ),
    keys: deriveKeys(testSecret),
    log: openLog(process.env.TEST_LOG ?? 'silent'),
    metrics: openMetrics(),
    now: () => now ?? new Date(),
    setNow: at => {
      now = new Date(at)
    },
    dataDir,
    [Symbol.asyncDispose]: async () => {
      await database[Symbol.asyncDispose]()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** A user who calls operations: `call('createRep', { name: 'Ada' })` runs the same code as every adapter. */
export type Caller = Identity & {
  call: <N extends OperationName>(name: N, input: RawInput<N>, idempotencyKey?: string) => Promise<Output<N>>
  context: Context
}

export function createCaller(app: App, identity: Identity): Caller {
  const context: Context = { ...identity, app, sql: app.db.app, requestId: 'test', afterCommit: () => {} }
  return {
    ...identity,
    context,
    call: async (name, input, idempotencyKey) =>
      JSON.parse((await invoke(context, { name, input, idempotencyKey })).text),
  }
}

/** Returns the same user in a web app session, signed in just now. */
export const inSession = (caller: Caller): Caller => {
  const { app } = caller.context
  return createCaller(app, { ...caller, actor: 'session:test', authenticatedAt: app.now() })
}

/** Creates a member with this role, in a new account unless `accountId` is given. */
export async function makeCaller(app: App, role: Role = 'owner', accountId?: string): Promise<Caller> {
  const account = accountId ?? randomUUIDv7()
  const userId = randomUUIDv7()
  await app.db.auth.begin(async sql => {
    if (!accountId) await sql`insert into accounts (id, name) values (${account}, 'Acme')`
    await sql`
      insert into users (id, email, name, email_verified_at)
      values (${userId}, ${`${role}-${userId}@acme.example`}, ${role}, now())`
    await sql`insert into members (account_id, user_id, role) values (${account}, ${userId}, ${role})`
  })
  return createCaller(app, { accountId: account, userId, role, actor: 'test', isReadOnly: false })
}
