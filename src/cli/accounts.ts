import type { Command } from 'commander'
import { createAccount, listAccounts } from '../server/domain/accounts/accounts.ts'
import { readCountry, readEmail, readName, readTimezone } from './arguments.ts'
import { withInstallation } from './open.ts'
import { table } from './output.ts'

export function addAccountCommands(program: Command): void {
  const account = program
    .command('account')
    .description('accounts: each has its own campaigns, people and members')
  account
    .command('create')
    .description('make an account')
    .requiredOption('--name <name>', 'name of the organization', readName)
    .option('--owner <email>', 'user who owns it', readEmail)
    .option('--timezone <zone>', 'IANA time zone, as in Europe/Lisbon', readTimezone, 'UTC')
    .option('--country <code>', 'two letters; national phone numbers are read with it', readCountry)
    .addHelpText(
      'after',
      `
Example:
  $ overture account create --name Acme --owner ada@acme.example --timezone Europe/London --country GB`,
    )
    .action(
      withInstallation<{ name: string; owner?: string; timezone: string; country?: string }>(
        async ({ app, output, options: { name, owner: ownerEmail, timezone, country } }) => {
          const made = await createAccount(
            app.db.auth,
            { name, ownerEmail, timezone, country },
            { actor: 'cli' },
          )
          output.result(made, ({ id }) => `Made the account ${name} (${id}).`)
        },
      ),
    )
  account
    .command('list')
    .description('list the accounts, oldest first')
    .action(
      withInstallation(async ({ app, output }) => {
        const accounts = await listAccounts(app.db.auth)
        output.result(accounts, () =>
          table(
            accounts.map(({ id, name, members, timezone, createdAt }) => ({
              id,
              name,
              members,
              timezone,
              'made at': createdAt,
            })),
            'There are no accounts.',
          ),
        )
      }),
    )
}
