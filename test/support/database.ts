import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import { type Connection, connect, type Database, openDatabase, type Sql } from '../../src/server/db.ts'

/** The same server, another database. */
export const at = (connection: Connection, database: string): Connection => {
  if ('options' in connection) return { options: { ...connection.options, database } }
  const url = new URL(connection.url)
  url.pathname = `/${database}`
  return { url: url.href }
}

export type TestDatabase = AsyncDisposable & {
  db: Database
  connection: Connection
  /** The owner's view, past row-level security: for looking at the tables from outside. */
  owner: Sql
}

/** A fresh copy of the migrated template, dropped at the end. */
export async function openTestDatabase(): Promise<TestDatabase> {
  const server = inject('connection')
  const name = `overture_test_${randomBytes(6).toString('hex')}`
  const admin = connect(server, { max: 1 })
  await admin`create database ${admin(name)} template ${admin(inject('template'))}`
  const connection = at(server, name)
  const db = await openDatabase(connection)
  const owner = connect(connection, { max: 2 })
  return {
    db,
    connection,
    owner,
    [Symbol.asyncDispose]: async () => {
      await db[Symbol.asyncDispose]()
      await owner.end()
      await admin`drop database ${admin(name)} with (force)`
      await admin.end()
    },
  }
}
