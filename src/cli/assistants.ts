import type { Command } from 'commander'
import type { Output } from '../contract/index.ts'
import { accountOption } from './arguments.ts'
import { call, findAccount, listAll, openContext } from './context.ts'
import { withInstallation } from './open.ts'
import { UsageError } from './usage-error.ts'

type Options = { account?: string }

export function addAssistantCommands(program: Command): void {
  program
    .command('assistant')
    .description('Manage voice assistants')
    .command('verify')
    .description('Check with the provider that an assistant can place calls, without calling anyone')
    .argument('<assistant>', 'Name or ID of the assistant')
    .addOption(accountOption())
    .addHelpText(
      'after',
      `
Example:
  $ overture assistant verify "Front desk" --account Acme`,
    )
    .action(
      withInstallation<Options>(async ({ app, output, options, args: [nameOrId = ''] }) => {
        const ctx = await openContext(app, await findAccount(app, options.account))
        const assistants = await Array.fromAsync(listAll(ctx, 'listAssistants'))
        const [assistant, another] = assistants.filter(({ id, name }) => id === nameOrId || name === nameOrId)
        if (!assistant) throw new UsageError(`No assistant found for "${nameOrId}".`)
        if (another) throw new UsageError(`Several assistants are named "${nameOrId}". Use the ID instead.`)
        const verified = await call(ctx, 'verifyAssistant', { assistantId: assistant.id })
        if (verified.status === 'failing')
          throw new Error(`${verified.name} can’t place calls: ${verified.statusReason}`)
        output.result(verified, describe)
      }),
    )
}

const describe = ({ name, provider, fromNumber }: Output<'verifyAssistant'>): string =>
  `${name} can place calls from ${fromNumber} (${provider}).`
