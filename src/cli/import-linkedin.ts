import { readFile, stat } from 'node:fs/promises'
import type { Command } from 'commander'
import type { Output } from '../contract/index.ts'
import { importLinkedinFile } from '../server/domain/linkedin/import-messages.ts'
import { accountOption } from './arguments.ts'
import { findAccount, openContext } from './context.ts'
import { type CommandInput, withInstallation } from './open.ts'
import { formatQuantity } from './output.ts'
import { UsageError } from './usage-error.ts'

const MAX_BYTES = 256 * 1024 * 1024

type Options = { account?: string; rep: string; profile: string }

export function addLinkedinImport(importCommand: Command): void {
  importCommand
    .command('linkedin')
    .description("Import messages from LinkedIn's data export")
    .argument('<file>', "messages.csv from LinkedIn's data export")
    .addOption(accountOption())
    .requiredOption('--rep <id>', 'ID of the rep whose export it is')
    .requiredOption('--profile <url>', 'LinkedIn profile of the rep')
    .addHelpText(
      'after',
      `
Only conversations with people already in the account are imported. Importing the same file again adds no duplicates.

Example:
  $ overture import linkedin messages.csv --rep 0198… --profile https://www.linkedin.com/in/grace-hopper`,
    )
    .action(withInstallation<Options>(importFile))
}

async function importFile({ app, output, options, args: [file = ''] }: CommandInput<Options>): Promise<void> {
  const ctx = await openContext(app, await findAccount(app, options.account))
  if ((await stat(file)).size > MAX_BYTES) throw new UsageError(`${file} is larger than 256 MB.`)
  const input = { repId: options.rep, profileUrl: options.profile, csv: await readFile(file, 'utf8') }
  output.result(await importLinkedinFile(ctx, input), describe)
}

const describe = (result: Output<'importLinkedinMessages'>): string => {
  const { total, added, alreadyPresent, unknownPerson, invalid } = result
  return `Read ${formatQuantity(total, 'message')}: ${added} added, ${alreadyPresent} already present, ${unknownPerson} not matched to exactly one person, ${invalid} invalid.`
}
