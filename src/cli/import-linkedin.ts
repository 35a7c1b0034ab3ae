import { readFile, stat } from 'node:fs/promises'
import type { Command } from 'commander'
import type { Output } from '../contract/index.ts'
import { importLinkedinFile } from '../server/domain/linkedin/import-messages.ts'
import { accountOption } from './arguments.ts'
import { chooseAccount, contextIn } from './context.ts'
import { type Work, withInstallation } from './open.ts'
import { UsageError } from './usage-error.ts'

const MAX_BYTES = 256 * 1024 * 1024

type Options = { account?: string; rep: string; profile: string }

export function addLinkedinImport(importCommand: Command): void {
  importCommand
    .command('linkedin')
    .description("keep the messages of LinkedIn's own data export")
    .argument('<file>', 'messages.csv, as LinkedIn gives it')
    .addOption(accountOption())
    .requiredOption('--rep <id>', 'the rep whose export it is')
    .requiredOption('--profile <url>', "the rep's own LinkedIn profile")
    .addHelpText(
      'after',
      `
Conversations with persons that the account knows are kept, all others left out. Importing the same file again adds
nothing.

Example:
  $ overture import linkedin messages.csv --rep 0198… --profile https://www.linkedin.com/in/grace-hopper`,
    )
    .action(withInstallation<Options>(importFile))
}

async function importFile({ app, output, options, args: [file = ''] }: Work<Options>): Promise<void> {
  const ctx = await contextIn(app, await chooseAccount(app, options.account))
  if ((await stat(file)).size > MAX_BYTES) throw new UsageError(`${file} is larger than 256 MB.`)
  const given = { repId: options.rep, profileUrl: options.profile, csv: await readFile(file, 'utf8') }
  output.result(await importLinkedinFile(ctx, given), describe)
}

const describe = (result: Output<'importLinkedinMessages'>): string => {
  const { total, added, alreadyPresent, unknownPerson, invalid } = result
  return `Read ${total} messages: ${added} added, ${alreadyPresent} there already, ${unknownPerson} with nobody known here or with several, ${invalid} unreadable.`
}
