import type { Command } from 'commander'
import { auditUser } from '../server/domain/accounts/audit-log.ts'
import { findUser } from '../server/domain/accounts/users.ts'
import {
  type ApiToken,
  createApiToken,
  listApiTokens,
  revokeApiToken,
} from '../server/domain/auth/stored-api-tokens.ts'
import { readEmail, readExpiry, readId, readName } from './arguments.ts'
import { withInstallation } from './open.ts'
import { table } from './output.ts'

const author = { actor: 'cli' }

export function addTokenCommands(program: Command): void {
  const token = program
    .command('token')
    .description('API tokens: each acts for one user in all their accounts')
  addCreate(token)
  token
    .command('list')
    .description('list tokens, newest first; never their secrets')
    .option('--user <email>', 'only the tokens of this user', readEmail)
    .action(
      withInstallation<{ user?: string }>(async ({ app, output, options: { user: email } }) => {
        const user = email === undefined ? undefined : await findUser(app.db.auth, email)
        const tokens = await listApiTokens(app.db.auth, { userId: user?.id })
        output.result(tokens, () => table(tokens.map(toRow), 'There are no tokens.'))
      }),
    )
  token
    .command('revoke')
    .description('end a token and every token that it created, for good; it counts with the next request')
    .argument('<id>', 'id as `token list` shows it', readId)
    .action(
      withInstallation(async ({ app, output, args: [id = ''] }) => {
        const { revokedAt, revokedIds } = await app.db.auth.begin(async sql => {
          const { userId, ...revoked } = await revokeApiToken(sql, id)
          await auditUser(sql, userId, author, 'revoke', ['api_token', ...revoked.revokedIds])
          return revoked
        })
        const created = revokedIds.filter(revokedId => revokedId !== id)
        output.result({ id, revokedAt, revokedIds }, () =>
          [
            `Revoked ${id} (${revokedAt.toISOString()}).`,
            ...created.map(revokedId => `Revoked ${revokedId}, which it created.`),
          ].join('\n'),
        )
      }),
    )
}

function addCreate(token: Command): void {
  token
    .command('create')
    .description('make a token and print it, alone; it is never shown again')
    .requiredOption('--user <email>', 'user in whose name it acts', readEmail)
    .requiredOption('--name <name>', 'what it is for', readName)
    .option('--read-only', 'it may read, never change')
    .option('--expires <when>', 'as 90d, 12h or 4w, or a last day as 2027-03-31 (UTC)', readExpiry)
    .addHelpText(
      'after',
      `
Examples:
  $ TOKEN=$(overture token create --user ada@acme.example --name laptop)
  $ overture token create --user ada@acme.example --name report --read-only --expires 90d`,
    )
    .action(
      withInstallation<{ user: string; name: string; readOnly?: true; expires?: Date }>(
        async ({ app, output, options: { user: email, name, readOnly: isReadOnly, expires: expiresAt } }) => {
          const user = await findUser(app.db.auth, email)
          const made = await app.db.auth.begin(async sql => {
            const made = await createApiToken(sql, { userId: user.id, name, isReadOnly, expiresAt })
            await auditUser(sql, user.id, author, 'create', ['api_token', made.id])
            return made
          })
          output.result(made, ({ token }) => token)
        },
      ),
    )
}

const toRow = (token: ApiToken) => ({
  id: token.id,
  token: `${token.prefix}…`,
  name: token.name,
  user: token.email,
  'may write': token.isReadOnly ? 'no' : 'yes',
  state: stateOf(token),
  'last used at': token.lastUsedAt ?? 'never',
})

function stateOf({ revokedAt, expiresAt }: ApiToken): string {
  if (revokedAt) return 'revoked'
  if (!expiresAt) return 'valid'
  return `${expiresAt.getTime() <= Date.now() ? 'expired' : 'valid until'} ${expiresAt.toISOString()}`
}
