import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import {
  connect,
  type Database,
  type DatabaseConnection,
  openDatabase,
  type Pool,
} from '../../../src/server/kernel/db/database.ts'
import { applicationRoles, migrate } from '../../../src/server/kernel/db/migrate.ts'
import { forbidSecondConnections } from './one-connection.ts'

/** Returns the connection with another database on the same server. */
export const withDatabase = (connection: DatabaseConnection, database: string): DatabaseConnection => {
  if ('options' in connection) return { options: { ...connection.options, database } }
  const url = new URL(connection.url)
  url.pathname = `/${database}`
  return { url: url.href }
}

export type TestDatabase = AsyncDisposable & {
  db: Database
  connection: DatabaseConnection
  /** Connects as the owner, who bypasses row-level security. */
  owner: Pool
}

/** A database with the current schema but no rows, which each test copies, and the connection to its server. */
export type TemplateDatabase = {
  connection: DatabaseConnection
  template: string
  /** Per pool; see `openDatabase`. */
  maxConnections?: number
}

/** Creates the template database, which is dropped when disposed. */
export async function openTemplateDatabase(
  connection: DatabaseConnection,
): Promise<AsyncDisposable & TemplateDatabase> {
  await using opened = new AsyncDisposableStack()
  const admin = connect(connection, { max: 1 })
  opened.defer(() => admin.end())
  const template = `overture_template_${randomBytes(6).toString('hex')}`
  await createEmpty(admin, template)
  opened.defer(
    async () => void (await admin`drop database if exists ${admin.identifier(template)} with (force)`),
  )
  const owner = connect(withDatabase(connection, template), { max: 1 })
  await migrate(owner)
  await owner.end()
  const all = opened.move()
  return { connection, template, [Symbol.asyncDispose]: () => all.disposeAsync() }
}

const createEmpty = (admin: Pool, name: string) =>
  admin`create database ${admin.identifier(name)} encoding 'UTF8' lc_collate 'C' lc_ctype 'C.UTF-8' template template0`

export type EmptyDatabase = AsyncDisposable & {
  /** Owns the database but isn't a superuser: row-level security applies, as in many installations. */
  owner: Pool
  superuser: Pool
}

/** Creates a database without a schema on the run's server. Drops the database when disposed. */
export async function openEmptyDatabase(): Promise<EmptyDatabase> {
  const server = inject('connection')
  const name = `overture_test_${randomBytes(6).toString('hex')}`
  const role = `owner_of_${name}`
  const admin = connect(server, { max: 1 })
  await admin`create role ${admin.identifier(role)}`
  await admin`grant ${admin.identifier(...applicationRoles)} to ${admin.identifier(role)}`
  await createEmpty(admin, name)
  await admin`alter database ${admin.identifier(name)} owner to ${admin.identifier(role)}`
  const owner = connect(withDatabase(server, name), { max: 2, role })
  const superuser = connect(withDatabase(server, name), { max: 1 })
  return {
    owner,
    superuser,
    [Symbol.asyncDispose]: async () => {
      await owner.end()
      await superuser.end()
      await admin`drop database ${admin.identifier(name)} with (force)`
      await admin`drop role ${admin.identifier(role)}`
      await admin.end()
    },
  }
}

/** Creates a copy of the template, by default of the test run's template. Drops the copy when disposed. */
export async function openTestDatabase(source?: TemplateDatabase): Promise<TestDatabase> {
  const {
    connection: server,
    template,
    maxConnections,
  }: TemplateDatabase = source ?? { connection: inject('connection'), template: inject('template') }
  const name = `overture_test_${randomBytes(6).toString('hex')}`
  const admin = connect(server, { max: 1 })
  // Copying files takes half the CPU time of copying pages through the WAL.
  await admin`create database ${admin.identifier(name)} template ${admin.identifier(template)} strategy file_copy`
  const connection = withDatabase(server, name)
  const { db, check } = forbidSecondConnections(
    await openDatabase(connection, maxConnections ? { maxConnections } : {}),
  )
  const owner = connect(connection, { max: 2 })
  return {
    db,
    connection,
    owner,
    [Symbol.asyncDispose]: async () => {
      await db[Symbol.asyncDispose]()
      await owner.end()
      await admin`drop database ${admin.identifier(name)} with (force)`
      await admin.end()
      check()
    },
  }
}
