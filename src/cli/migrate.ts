import type { Command } from 'commander'
import { withInstallation } from './open.ts'

export const addMigrateCommand = (program: Command): Command =>
  program
    .command('migrate')
    .description('Update the database schema; every other command does this too')
    .action(
      withInstallation(
        async ({ app, output }) => {
          const [schema] = await app.db.auth<{ version: number }[]>`
            select max(version) as version from schema_migrations`
          output.result({ version: schema!.version }, ({ version }) => `Database schema version: ${version}.`)
        },
        { createsDatabase: true },
      ),
    )
