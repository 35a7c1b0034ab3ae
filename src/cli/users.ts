import type { Command } from 'commander'
import { createUser } from '../server/accounts/users.ts'
import { readEmail, readName, readPassword } from './arguments.ts'
import { withInstallation } from './open.ts'

export function addUserCommands(program: Command): void {
  const user = program.command('user').description('people who sign in and have tokens')
  user
    .command('create')
    .description('make a user; accounts and their roles are given with `member add`')
    .requiredOption('--email <address>', 'address to sign in with', readEmail)
    .requiredOption('--name <name>', 'name as others see it', readName)
    .option('--password-stdin', 'set a password: typed when asked, or read from a pipe')
    .addHelpText(
      'after',
      `
Examples:
  $ overture user create --email ada@acme.example --name "Ada Byron"
  $ overture user create --email ada@acme.example --name "Ada Byron" --password-stdin < password.txt`,
    )
    .action(
      withInstallation<{ email: string; name: string; passwordStdin?: true }>(
        async ({ app, output, options: { email, name, passwordStdin } }) => {
          const password = passwordStdin ? await readPassword() : undefined
          const made = await createUser(app.db.auth, { email, name, password })
          output.result(made, ({ id }) => `Made the user ${email} (${id}).`)
        },
      ),
    )
}
