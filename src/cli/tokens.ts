import type { Command } from 'commander'
import { auditUser } from '../server/domain/accounts/audit-log.ts'
import { findUser } from '../server/domain/accounts/users.ts'
import {
  type ApiToken,
  createApiToken,
  listApiTokens,
  revokeApiToken,
} from '../server/domain/auth/stored-api-tokens.ts'
import { parseEmail, parseExpiry, parseId, parseName } from './arguments.ts'
import { withInstallation } from './open.ts'
import { formatTable } from './output.ts'

const author = { actor: 'cli' }

export function addTokenCommands(program: Command): void {
  const token = program
    .command('token')
    .description('Manage API tokens; each acts as one user in all their accounts')
  addCreate(token)
  token
    .command('list')
    .description('List tokens without their secrets, newest first')
    .option('--user <email>', 'Only tokens of this user', parseEmail)
    .action(
      withInstallation<{ user?: string }>(async ({ app, output, options: { user: email } }) => {
        const user = email === undefined ? undefined : await findUser(app.db.auth, email)
        const tokens = await listApiTokens(app.db.auth, { userId: user?.id })
        output.result(tokens, () => formatTable(tokens.map(toRow), 'No tokens found.'))
      }),
    )
  token
    .command('revoke')
    .description('Revoke a token and all tokens it created, effective with the next request')
    .argument('<id>', 'ID of the token (see `token list`)', parseId)
    .action(
      withInstallation(async ({ app, output, args: [id = ''] }) => {
        const { revokedAt, revokedIds } = await app.db.auth.begin(async sql => {
          const { userId, ...revoked } = await revokeApiToken(sql, id)
          await auditUser(sql, userId, author, 'revoke', ['api_token', ...revoked.revokedIds])
          return revoked
        })
        const descendants = revokedIds.filter(revokedId => revokedId !== id)
        output.result({ id, revokedAt, revokedIds }, () =>
          [
            `Revoked ${id} at ${revokedAt.toISOString()}.`,
            ...descendants.map(revokedId => `Revoked ${revokedId}, which was created with ${id}.`),
          ].join('\n'),
        )
      }),
    )
}

function addCreate(token: Command): void {
  token
    .command('create')
    .description('Create a token and print it; it is shown only once')
    .requiredOption('--user <email>', 'User that the token acts as', parseEmail)
    .requiredOption('--name <name>', 'Purpose of the token', parseName)
    .option('--read-only', 'Allow only reading')
    .option(
      '--expires <when>',
      'Expiry: 12h, 90d or 4w from now, or the last valid day (2027-03-31, UTC)',
      parseExpiry,
    )
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
          const created = await app.db.auth.begin(async sql => {
            const token = await createApiToken(sql, { userId: user.id, name, isReadOnly, expiresAt })
            await auditUser(sql, user.id, author, 'create', ['api_token', token.id])
            return token
          })
          output.result(created, ({ token }) => token)
        },
      ),
    )
}

const toRow = (token: ApiToken) => ({
  id: token.id,
  token: `${token.prefix}…`,
  name: token.name,
  user: token.email,
  access: token.isReadOnly ? 'read' : 'read, write',
  state: describeState(token),
  'last used': token.lastUsedAt ?? 'never',
})

function describeState({ revokedAt, expiresAt }: ApiToken): string {
  if (revokedAt) return 'revoked'
  if (!expiresAt) return 'valid'
  return `${expiresAt.getTime() <= Date.now() ? 'expired' : 'valid until'} ${expiresAt.toISOString()}`
}
