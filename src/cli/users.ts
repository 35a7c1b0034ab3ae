import type { Command } from 'commander'
import { createUser, findUser, listUsers } from '../server/domain/accounts/users.ts'
import { disableTotp } from '../server/domain/auth/authenticator-app.ts'
import { signOutEverywhere } from '../server/domain/auth/credentials.ts'
import { createResetToken } from '../server/domain/auth/password-resets.ts'
import { getPublicUrl } from '../server/kernel/config.ts'
import { parseEmail, parseName, readSecret } from './arguments.ts'
import { withInstallation } from './open.ts'
import { formatQuantity, formatTable } from './output.ts'

export function addUserCommands(program: Command): void {
  const user = program.command('user').description('Manage users')
  user
    .command('create')
    .description('Create a user with a verified email address; grant access to an account with `member add`')
    .requiredOption('--email <address>', 'Email address to sign in with', parseEmail)
    .requiredOption('--name <name>', 'Display name', parseName)
    .option('--password-stdin', 'Prompt for a password, or read it from a pipe')
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
          const password = passwordStdin ? await readSecret() : undefined
          const user = await createUser(app.db.auth, { email, name, password, isEmailVerified: true })
          output.result(user, ({ id }) => `Created user ${email} (${id}).`)
          if (password === undefined) {
            output.info(
              `${email} has no password yet. Create a link to set one with \`overture user reset-password --email ${email}\`.`,
            )
          }
        },
        { createsDatabase: true },
      ),
    )
  user
    .command('list')
    .description('List the users of all accounts with their roles, oldest first')
    .action(
      withInstallation(async ({ app, output }) => {
        const users = await listUsers(app.db.auth)
        output.result(users, () =>
          formatTable(
            users.map(({ id, email, name, isEmailVerified, accounts, createdAt }) => ({
              id,
              email,
              name,
              verified: isEmailVerified ? 'yes' : 'no',
              accounts: accounts.map(account => `${account.name} (${account.role})`).join(', '),
              created: createdAt,
            })),
            'No users found.',
          ),
        )
      }),
    )
  user
    .command('reset-password')
    .description(
      'Create a one-time link to set a new password, valid for one hour; setting it revokes all other credentials',
    )
    .requiredOption('--email <address>', 'Email address of the user', parseEmail)
    .action(
      withInstallation<{ email: string }>(async ({ app, output, options: { email } }) => {
        const reset = await createResetToken(app.db.auth, app.keys, { email, now: app.now() })
        if (!reset) throw new Error(`No user found with the email address ${email}.`)
        const link = `${getPublicUrl(app.config)}/reset?token=${reset.token}`
        output.info(
          `Share this link only with ${email}. Setting a new password revokes their API tokens, connected apps, passkeys, authenticator app and sessions.`,
        )
        output.result({ email, link }, () => link)
      }),
    )
  user
    .command('sign-out')
    .description('Sign a user out of all sessions, for example after losing a laptop')
    .requiredOption('--email <address>', 'Email address of the user', parseEmail)
    .option('--revoke', 'Also revoke API tokens and connected apps')
    .action(
      withInstallation<{ email: string; revoke?: true }>(
        async ({ app, output, options: { email, revoke } }) => {
          const { id } = await findUser(app.db.auth, email)
          const ended = await signOutEverywhere(
            app.db.auth,
            id,
            { revokeTokensAndApps: revoke },
            { actor: 'cli' },
          )
          output.result({ email, ...ended }, ({ sessions }) =>
            revoke
              ? `Ended ${formatQuantity(sessions, 'session')} of ${email} and revoked their API tokens and connected apps.`
              : `Ended ${formatQuantity(sessions, 'session')} of ${email}.`,
          )
        },
      ),
    )
  user
    .command('turn-off-codes')
    .description('Turn off two-factor codes for a user who lost their authenticator app')
    .requiredOption('--email <address>', 'Email address of the user', parseEmail)
    .action(
      withInstallation<{ email: string }>(async ({ app, output, options: { email } }) => {
        const { id } = await findUser(app.db.auth, email)
        const wereOn = await disableTotp(app.db.auth, id, { actor: 'cli' })
        output.result({ email, wereOn }, () =>
          wereOn ? `${email} can now sign in without codes.` : `${email} already signs in without codes.`,
        )
      }),
    )
}
