import { openPostgres } from '../../../src/server/postgres/open-postgres.ts'

/** A process of its own that opens the embedded server and keeps it until told to close, or until its parent ends. */
const [dataDir = ''] = process.argv.slice(2)
/** The parent may be gone by now, which is no fault of ours. */
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
