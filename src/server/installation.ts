import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { type Config, ConfigError } from './kernel/config.ts'
import type { App } from './kernel/context.ts'
import { deriveKeys, loadOrCreateSecret } from './kernel/crypto.ts'
import { type DatabaseConnection, openDatabase } from './kernel/db/database.ts'
import { type Log, openLog } from './kernel/log.ts'
import { openMetrics } from './kernel/metrics.ts'
import { prepareDataFolder, resolveDataDir } from './postgres/data-folder.ts'
import { openPostgres } from './postgres/open-postgres.ts'

export const projectRoot = join(import.meta.dirname, '../..')

/** An open database with its keys, used by `serve` and every other command. */
export type Installation = AsyncDisposable & { app: App; dataDir: string }

/**
 * Opens and migrates the database at DATABASE_URL, or the embedded one when the variable is not set, and reads the
 * keys. Starts the embedded server, or joins it when it is already running. `dataSuffix` selects a separate data
 * folder, such as the demo's.
 */
export async function openInstallation(
  config: Config,
  options: {
    onProgress?: (message: string) => void
    dataSuffix?: string
    /** If false, throws when the embedded database does not exist yet. */
    createsDatabase?: boolean
    maxConnections?: number
    /** Defaults to standard output. Commands that print a result there log elsewhere. */
    log?: Log
  } = {},
): Promise<Installation> {
  const dataDir = resolveDataDir({ given: config.dataDir, projectRoot, suffix: options.dataSuffix ?? '' })
  if (options.createsDatabase === false && !config.databaseUrl) await requireDatabase(dataDir)
  await using opened = new AsyncDisposableStack()
  const { onProgress = () => {} } = options
  let connection: DatabaseConnection
  let owner: DatabaseConnection | undefined
  if (config.databaseUrl) {
    await prepareDataFolder(dataDir)
    connection = { url: config.databaseUrl }
  } else {
    const postgres = opened.use(await openPostgres({ dataDir, onProgress }))
    connection = { options: postgres.connection }
    owner = { options: postgres.owner }
  }
  const db = opened.use(
    await openDatabase(connection, {
      ...options,
      ...(owner && { owner }),
      onProgress,
      poolUrl: config.databasePoolUrl,
    }),
  )
  const keys = deriveKeys(config.secret ?? (await loadOrCreateSecret(dataDir)))
  const all = opened.move()
  return {
    app: {
      config,
      db,
      keys,
      log: options.log ?? openLog(config.logLevel),
      metrics: openMetrics(),
      now: () => new Date(),
    },
    dataDir,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

async function requireDatabase(dataDir: string): Promise<void> {
  try {
    await access(join(dataDir, 'postgres', 'cluster'))
  } catch (error) {
    // The database belongs to another user. Opening it throws an error that says what to do.
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return
    throw new ConfigError(
      `There is no database at ${dataDir}. Set its folder with --data (data-demo for the demo), or create one with \`overture serve\`.`,
    )
  }
}
