import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import type { DatabaseConnection } from '../../../src/server/kernel/db/database.ts'
import { openTemplateDatabase } from '../db/database.ts'

declare module 'vitest' {
  interface ProvidedContext {
    connection: DatabaseConnection
    template: string
  }
}

/**
 * Opens one PostgreSQL for the whole run, with a migrated template that each test file copies. TEST_DATABASE_URL is the
 * superuser's URL of a server to use; without it, the embedded server is started in a temporary folder.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await using opened = new AsyncDisposableStack()
  const server = opened.use(await openServer())
  const templateDatabase = opened.use(await openTemplateDatabase(server.connection))
  project.provide('connection', server.connection)
  project.provide('template', templateDatabase.template)
  const all = opened.move()
  return () => all.disposeAsync()
}

export async function openServer(): Promise<AsyncDisposable & { connection: DatabaseConnection }> {
  const url = process.env.TEST_DATABASE_URL
  if (url) return { connection: { url }, [Symbol.asyncDispose]: async () => {} }
  // The server has its own process group, so that it can clean up when the run's group is killed.
  const child = fork(join(import.meta.dirname, '../db/database-server.ts'), { execArgv: [], detached: true })
  const ended = once(child, 'exit').then(() => {
    throw new Error('The embedded PostgreSQL could not be opened for the tests; see its output above.')
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
