import type { Command } from 'commander'
import { createAccount, listAccounts } from '../server/domain/accounts/accounts.ts'
import { parseCountry, parseEmail, parseName, parseTimezone } from './arguments.ts'
import { withInstallation } from './open.ts'
import { formatTable } from './output.ts'

export function addAccountCommands(program: Command): void {
  const account = program
    .command('account')
    .description('Manage accounts; each has its own campaigns, people and members')
  account
    .command('create')
    .description('Create an account')
    .requiredOption('--name <name>', 'Name of the organization', parseName)
    .option('--owner <email>', 'User who owns the account', parseEmail)
    .option('--timezone <zone>', 'IANA time zone, such as Europe/Lisbon', parseTimezone, 'UTC')
    .option('--country <code>', 'Two-letter country code for phone numbers without one', parseCountry)
    .addHelpText(
      'after',
      `
Example:
  $ overture account create --name Acme --owner ada@acme.example --timezone Europe/London --country GB`,
    )
    .action(
      withInstallation<{ name: string; owner?: string; timezone: string; country?: string }>(
        async ({ app, output, options: { name, owner: ownerEmail, timezone, country } }) => {
          const account = await createAccount(
            app.db.auth,
            { name, ownerEmail, timezone, country },
            { actor: 'cli' },
          )
          output.result(account, ({ id }) => `Created account ${name} (${id}).`)
        },
        { createsDatabase: true },
      ),
    )
  account
    .command('list')
    .description('List accounts, oldest first')
    .action(
      withInstallation(async ({ app, output }) => {
        const accounts = await listAccounts(app.db.auth)
        output.result(accounts, () =>
          formatTable(
            accounts.map(({ id, name, members, timezone, createdAt }) => ({
              id,
              name,
              members,
              timezone,
              created: createdAt,
            })),
            'No accounts found.',
          ),
        )
      }),
    )
}
