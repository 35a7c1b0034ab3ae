import type { Command } from 'commander'
import { openInstallation } from '../server/installation.ts'
import { type ConfigFlags, describeSettings, readConfig } from '../server/kernel/config.ts'
import type { App } from '../server/kernel/context.ts'
import { toDatabaseError } from '../server/kernel/db/database.ts'
import { openLog } from '../server/kernel/log.ts'
import { type Output, outputFor } from './output.ts'

export type GlobalOptions = {
  data?: string
  databaseUrl?: string
  json?: true
  quiet?: true
  verbose?: true
}

const envOf = (name: string): string => describeSettings().find(setting => setting.name === name)?.env ?? ''

/** What every command takes, before or after its name. */
export const addGlobalOptions = (program: Command): Command =>
  program
    .option('--data <dir>', `folder for the database, secrets and mail (${envOf('dataDir')})`)
    .option('--database-url <url>', `PostgreSQL to use instead of the embedded one (${envOf('databaseUrl')})`)
    .option('--json', 'print the result as JSON')
    .option('--quiet', 'say nothing but results and faults')
    .option('--verbose', 'say more, and show where a fault comes from')

export const toFlags = ({ data, databaseUrl, verbose }: GlobalOptions): ConfigFlags => ({
  dataDir: data,
  databaseUrl,
  logLevel: verbose && 'debug',
})

/** What a command works with. */
export type Work<O> = { app: App; output: Output; options: O & GlobalOptions; args: string[] }

/** Commander's action for work that needs the database: opened for it, closed after it, also when it fails. */
export const withInstallation =
  <O extends object>(work: (work: Work<O>) => Promise<void>) =>
  async (...given: unknown[]): Promise<void> => {
    const command = given.at(-1) as Command
    const options = command.optsWithGlobals<O & GlobalOptions>()
    const output = outputFor(options)
    const config = readConfig(toFlags(options))
    try {
      await using installation = await openInstallation(config, {
        onProgress: output.say,
        log: openLog(options.quiet ? 'error' : config.logLevel, 'stderr'),
      })
      await work({ app: installation.app, output, options, args: given.slice(0, -2) as string[] })
    } catch (error) {
      throw toDatabaseError(error) ?? error
    }
  }
