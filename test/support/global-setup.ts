import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { type Connection, connect } from '../../src/server/db.ts'
import { migrate } from '../../src/server/migrate.ts'
import { at } from './database.ts'

declare module 'vitest' {
  interface ProvidedContext {
    connection: Connection
    template: string
  }
}

/**
 * One PostgreSQL for the whole run, with a migrated template that each test file copies. TEST_DATABASE_URL names a
 * server to use (a superuser's URL); without it the embedded one is started in a temporary folder.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await using opened = new AsyncDisposableStack()
  const server = opened.use(await openServer())
  const admin = connect(server.connection, { max: 1 })
  opened.defer(() => admin.end())
  const template = `overture_template_${randomBytes(6).toString('hex')}`
  await admin`create database ${admin(template)} encoding 'UTF8' lc_collate 'C' lc_ctype 'C.UTF-8' template template0`
  opened.defer(async () => void (await admin`drop database if exists ${admin(template)} with (force)`))
  const owner = connect(at(server.connection, template), { max: 1 })
  await migrate(owner)
  await owner.end()
  project.provide('connection', server.connection)
  project.provide('template', template)
  const all = opened.move()
  return () => all.disposeAsync()
}

async function openServer(): Promise<AsyncDisposable & { connection: Connection }> {
  const url = process.env.TEST_DATABASE_URL
  if (url) return { connection: { url }, [Symbol.asyncDispose]: async () => {} }
  const child = fork(join(import.meta.dirname, 'database-server.ts'), { execArgv: [] })
  const ended = once(child, 'exit').then(() => {
    throw new Error('The embedded PostgreSQL could not be opened for the tests, see above.')
  })
  const [options] = await Promise.race([once(child, 'message'), ended])
  return {
    connection: { options },
    [Symbol.asyncDispose]: async () => {
      child.disconnect()
      await ended.catch(() => {})
    },
  }
}
