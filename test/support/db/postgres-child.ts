import { openPostgres } from '../../../src/server/postgres/open-postgres.ts'

// Runs the embedded server in its own process until it is told to close or its parent ends.
const [dataDir = ''] = process.argv.slice(2)
/** Ignores errors, as the parent may have exited. */
const tell = (message: object): unknown => process.send?.(message, undefined, undefined, () => {})

try {
  const server = await openPostgres({ dataDir, onProgress: progress => tell({ progress }) })
  process.once('message', () => process.disconnect?.())
  process.once('disconnect', () => server[Symbol.asyncDispose]())
  tell({ opened: { connection: server.connection } })
} catch (fault) {
  tell({ failed: String(fault) })
  process.disconnect?.()
}
