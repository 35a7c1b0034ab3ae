import type { Command } from 'commander'
import { createUser, findUser } from '../server/domain/accounts/users.ts'
import { disableTotp } from '../server/domain/auth/authenticator-app.ts'
import { signOutEverywhere } from '../server/domain/auth/credentials.ts'
import { makeResetToken } from '../server/domain/auth/password-resets.ts'
import { notFound } from '../server/kernel/errors.ts'
import { readEmail, readName, readPassword } from './arguments.ts'
import { withInstallation } from './open.ts'

export function addUserCommands(program: Command): void {
  const user = program.command('user').description('people who sign in and have tokens')
  user
    .command('create')
    .description(
      'make a user of an address that you know is theirs; accounts and roles are given with `member add`',
    )
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
          const made = await createUser(app.db.auth, { email, name, password, isEmailVerified: true })
          output.result(made, ({ id }) => `Made the user ${email} (${id}).`)
          if (password === undefined) {
            output.say(
              `${email} has no password yet. For a link that sets one: overture user reset-password --email ${email}`,
            )
          }
        },
      ),
    )
  user
    .command('reset-password')
    .description(
      'make a link that sets a new password, within an hour, once; all else that the user signs in or acts with ends then',
    )
    .requiredOption('--email <address>', 'address of the user', readEmail)
    .action(
      withInstallation<{ email: string }>(async ({ app, output, options: { email } }) => {
        const reset = await makeResetToken(app.db.auth, app.keys, { email, now: app.now() })
        if (!reset) throw notFound(`user as ${email}`)
        const { publicUrl, port } = app.config
        const link = `${publicUrl ?? `http://localhost:${port}`}/reset?token=${reset.token}`
        output.say(
          `Give this link to ${email} alone. The new password ends their API tokens, connected apps, passkeys, authenticator app and sessions.`,
        )
        output.result({ email, link }, () => link)
      }),
    )
  user
    .command('sign-out')
    .description('end all sessions of a user, as when a laptop was lost')
    .requiredOption('--email <address>', 'address of the user', readEmail)
    .option('--revoke', 'also revoke their API tokens and connected apps')
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
              ? `Ended ${sessions} sessions of ${email} and revoked their API tokens and connected apps.`
              : `Ended ${sessions} sessions of ${email}.`,
          )
        },
      ),
    )
  user
    .command('turn-off-codes')
    .description('let a user who lost the authenticator app sign in without its codes')
    .requiredOption('--email <address>', 'address of the user', readEmail)
    .action(
      withInstallation<{ email: string }>(async ({ app, output, options: { email } }) => {
        const { id } = await findUser(app.db.auth, email)
        const wereOn = await disableTotp(app.db.auth, id, { actor: 'cli' })
        output.result({ email, wereOn }, () =>
          wereOn ? `${email} signs in without codes now.` : `${email} needed no codes.`,
        )
      }),
    )
}
