import type { Command } from 'commander'
import type { Role } from '../contract/permissions.ts'
import { addMember, setRole } from '../server/domain/accounts/memberships.ts'
import { accountOption, readEmail, roleOption } from './arguments.ts'
import { chooseAccount } from './context.ts'
import { withInstallation } from './open.ts'

type Options = { account?: string; email: string; role: Role }

export function addMemberCommands(program: Command): void {
  const member = program.command('member').description('who belongs to an account, and what they may do')
  member
    .command('add')
    .description('let a user into an account')
    .addOption(accountOption())
    .requiredOption('--email <address>', 'address of the user', readEmail)
    .addOption(roleOption())
    .addHelpText(
      'after',
      `
Example:
  $ overture member add --account Acme --email grace@acme.example --role manager`,
    )
    .action(
      withInstallation<Options>(async ({ app, output, options: { account: nameOrId, email, role } }) => {
        const account = await chooseAccount(app, nameOrId)
        const added = await addMember(app.db.auth, { accountId: account.id, email, role }, { actor: 'cli' })
        output.result(added, () => `${email} is in ${account.name} now, as ${role}.`)
      }),
    )
  member
    .command('set-role')
    .description('give a member another role; it counts with their next request')
    .addOption(accountOption())
    .requiredOption('--email <address>', 'address of the member', readEmail)
    .addOption(roleOption())
    .action(
      withInstallation<Options>(async ({ app, output, options: { account: nameOrId, email, role } }) => {
        const account = await chooseAccount(app, nameOrId)
        const changed = await setRole(app.db.auth, { accountId: account.id, email, role }, { actor: 'cli' })
        output.result(changed, () => `${email} is ${role} in ${account.name} now.`)
      }),
    )
}
