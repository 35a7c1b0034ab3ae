import type { Command } from 'commander'
import type { Output } from '../contract/index.ts'
import { accountOption } from './arguments.ts'
import { call, chooseAccount, contextIn, listAll } from './context.ts'
import { withInstallation } from './open.ts'
import { UsageError } from './usage-error.ts'

type Options = { account?: string }

export function addAssistantCommands(program: Command): void {
  program
    .command('assistant')
    .description('assistants that call')
    .command('verify')
    .description('ask the provider of an assistant whether calls can be placed; calls nobody')
    .argument('<name>', 'its name or id')
    .addOption(accountOption())
    .addHelpText(
      'after',
      `
Example:
  $ overture assistant verify "Front desk" --account Acme`,
    )
    .action(
      withInstallation<Options>(async ({ app, output, options, args: [name = ''] }) => {
        const ctx = await contextIn(app, await chooseAccount(app, options.account))
        const known = await Array.fromAsync(listAll(ctx, 'listAssistants'))
        const [assistant, another] = known.filter(each => each.id === name || each.name === name)
        if (!assistant) throw new UsageError(`No assistant is called ${name}.`)
        if (another) throw new UsageError(`Several assistants are called ${name}. Give the id.`)
        const verified = await call(ctx, 'verifyAssistant', { assistantId: assistant.id })
        if (verified.status === 'failing')
          throw new Error(`${verified.name} can’t call: ${verified.statusReason}`)
        output.result(verified, describe)
      }),
    )
}

const describe = ({ name, provider, fromNumber }: Output<'verifyAssistant'>): string =>
  `${name} can call from ${fromNumber} (${provider}).`
