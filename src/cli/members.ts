import type { Command } from 'commander'
import type { Role } from '../contract/permissions.ts'
import { addMember, setRole } from '../server/domain/accounts/memberships.ts'
import { accountOption, parseEmail, roleOption } from './arguments.ts'
import { findAccount, listAll, openContext } from './context.ts'
import { withInstallation } from './open.ts'
import { formatTable } from './output.ts'

type Options = { account?: string; email: string; role: Role }

export function addMemberCommands(program: Command): void {
  const member = program.command('member').description('Manage the members of an account and their roles')
  member
    .command('add')
    .description('Add a user to an account')
    .addOption(accountOption())
    .requiredOption('--email <address>', 'Email address of the user', parseEmail)
    .addOption(roleOption())
    .addHelpText(
      'after',
      `
Example:
  $ overture member add --account Acme --email grace@acme.example --role manager`,
    )
    .action(
      withInstallation<Options>(async ({ app, output, options: { account: nameOrId, email, role } }) => {
        const account = await findAccount(app, nameOrId)
        const added = await addMember(app.db.auth, { accountId: account.id, email, role }, { actor: 'cli' })
        output.result(added, () => `Added ${email} to ${account.name} as ${role}.`)
      }),
    )
  member
    .command('list')
    .description('List the members of an account with their roles')
    .addOption(accountOption())
    .action(
      withInstallation<{ account?: string }>(async ({ app, output, options }) => {
        const ctx = await openContext(app, await findAccount(app, options.account))
        const members = await Array.fromAsync(listAll(ctx, 'listMembers'))
        output.result(members, () =>
          formatTable(
            members.map(({ id, email, name, role, createdAt }) => ({
              id,
              email,
              name,
              role,
              added: createdAt,
            })),
            'No members found.',
          ),
        )
      }),
    )
  member
    .command('set-role')
    .description('Change the role of a member, effective with their next request')
    .addOption(accountOption())
    .requiredOption('--email <address>', 'Email address of the member', parseEmail)
    .addOption(roleOption())
    .action(
      withInstallation<Options>(async ({ app, output, options: { account: nameOrId, email, role } }) => {
        const account = await findAccount(app, nameOrId)
        const changed = await setRole(app.db.auth, { accountId: account.id, email, role }, { actor: 'cli' })
        output.result(changed, () => `Changed the role of ${email} in ${account.name} to ${role}.`)
      }),
    )
}
