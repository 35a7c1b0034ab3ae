import { openPostgres } from '../../../src/server/postgres/open-postgres.ts'

// Runs the embedded server in this process until the parent sends a message or exits.
const [dataDir = ''] = process.argv.slice(2)
/** Sends a message to the parent. Ignores errors, because the parent may have exited. */
const send = (message: object): unknown => process.send?.(message, undefined, undefined, () => {})

try {
  const server = await openPostgres({ dataDir, onProgress: progress => send({ progress }) })
  process.once('message', () => process.disconnect?.())
  process.once('disconnect', () => server[Symbol.asyncDispose]())
  send({ opened: { connection: server.connection } })
} catch (error) {
  send({ failed: String(error) })
  process.disconnect?.()
}
