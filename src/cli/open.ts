import type { Command } from 'commander'
import { type ConfigFlags, describeSettings, readConfig } from '../server/kernel/config.ts'
import type { App } from '../server/kernel/context.ts'
import { createOutput, type Output } from './output.ts'
import { readServerUrl } from './server-url.ts'
import { openStopSignal } from './stop-signal.ts'

export type GlobalOptions = {
  data?: string
  databaseUrl?: string
  json?: true
  quiet?: true
  verbose?: true
}

const getEnvName = (name: string): string =>
  describeSettings().find(setting => setting.name === name)?.env ?? ''

/** Adds the options that every command accepts, before or after its name. */
export const addGlobalOptions = (program: Command): Command =>
  program
    .option('--data <dir>', `Folder for the database, secrets and mail (env: ${getEnvName('dataDir')})`)
    .option(
      '--database-url <url>',
      `PostgreSQL to use instead of the embedded one (env: ${getEnvName('databaseUrl')})`,
    )
    .option('--json', 'Print the result as JSON')
    .option('--quiet', 'Print only results and errors')
    .option('--verbose', 'Print debug output, including the stack traces of errors')

export const toFlags = ({ data, databaseUrl, verbose }: GlobalOptions): ConfigFlags => ({
  dataDir: data,
  databaseUrl,
  logLevel: verbose && 'debug',
})

/** The app, output, options and arguments that a command runs with. `stop` aborts when the command is interrupted. */
export type CommandInput<O> = {
  app: App
  output: Output
  options: O & GlobalOptions
  args: string[]
  stop: AbortSignal
}

/**
 * Returns a Commander action that opens the database for the command and closes it afterwards, even on failure. Only
 * commands that set up a new installation create a database: elsewhere, an empty one would look like lost data. Throws
 * a StopError when the command is interrupted; with `endsOnStop`, waits instead for the command to end by itself.
 */
export const withInstallation =
  <O extends object>(
    run: (input: CommandInput<O>) => Promise<void>,
    { createsDatabase = false, endsOnStop = false }: { createsDatabase?: boolean; endsOnStop?: boolean } = {},
  ) =>
  async (...params: unknown[]): Promise<void> => {
    const command = params.at(-1) as Command
    const options = command.optsWithGlobals<O & GlobalOptions>()
    const output = createOutput(options)
    // The command itself reports what went wrong, so warnings from parts of the server are shown only on request.
    const config = readConfig(toFlags(options), undefined, { logLevel: 'error' })
    // Opened before the database, which would otherwise keep running after an interrupted command.
    const stop = openStopSignal(output.info)
    // Loaded only for valid arguments: the database code takes most of the startup time.
    const [{ openInstallation }, { toDatabaseError }, { openLog }] = await Promise.all([
      import('../server/installation.ts'),
      import('../server/kernel/db/database.ts'),
      import('../server/kernel/log.ts'),
    ])
    try {
      await using installation = await openInstallation(config, {
        createsDatabase,
        onProgress: output.info,
        log: openLog(options.quiet ? 'error' : config.logLevel, 'stderr'),
      })
      const { app, dataDir } = installation
      // Printed links must point to the server, whose URL or port may have been set by a flag.
      const publicUrl = config.publicUrl ?? (await readServerUrl(dataDir))
      stop.throwIfAborted()
      const running = run({
        app: { ...app, config: { ...config, publicUrl } },
        output,
        options,
        args: params.slice(0, -2) as string[],
        stop,
      })
      await (endsOnStop ? running : Promise.race([running, rejectOnAbort(stop)]))
    } catch (error) {
      throw toDatabaseError(error) ?? error
    }
  }

const rejectOnAbort = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
