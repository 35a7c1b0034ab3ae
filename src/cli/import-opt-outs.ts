import { createReadStream } from 'node:fs'
import type { Command } from 'commander'
import { optOutColumns } from '../contract/dnc.ts'
import type { Output } from '../contract/index.ts'
import { importOptOutsFromStream } from '../server/domain/dnc/import-opt-outs.ts'
import { accountOption, columnMappingOption } from './arguments.ts'
import { findAccount, openContext } from './context.ts'
import { describeIssues, formatColumns, setImportExitCode, toColumnFields } from './import-summary.ts'
import { type CommandInput, withInstallation } from './open.ts'
import { formatCount, formatQuantity } from './output.ts'
import { openProgress } from './progress.ts'

type Options = {
  account?: string
  map?: Record<string, string | null>
  pause: boolean
  confirmPublicDomain?: true
}

export function addOptOutImport(importCommand: Command): void {
  importCommand
    .command('opt-outs')
    .description('Add the people and domains in a CSV file to the Do Not Contact list')
    .argument('<file>', 'CSV file of any size, with a header line or with identifiers only')
    .addOption(accountOption())
    .addOption(columnMappingOption())
    .option('--no-pause', 'Keep the status of matching prospects; nothing is sent to them either way')
    .option('--confirm-public-domain', 'Accept domains of public email providers, such as gmail.com')
    .addHelpText(
      'after',
      `
Columns of common sales tools and of \`overture export opt-outs\` are recognized. --map imports any other column as one
of ${optOutColumns.join(', ')}; --map "Notes=" ignores a column.

Above a header, only rows that start with an email address, LinkedIn profile or international phone number are read, and
domains are ignored, because other rows may be titles. Without a header, every identifier is added, even if other text in
its row can't be read.

Invalid and partly read rows are reported by line; the exit code is then 3. Importing the same file again changes nothing.

Example:
  $ overture import opt-outs suppressed.csv --account Acme --map "Blocked address=email"`,
    )
    .action(withInstallation<Options>(importFile))
}

async function importFile({ app, output, options, args: [file = ''] }: CommandInput<Options>): Promise<void> {
  const ctx = await openContext(app, await findAccount(app, options.account))
  using progress = openProgress(output.isQuiet)
  const result = await importOptOutsFromStream(ctx, createReadStream(file), {
    map: toColumnFields(options.map ?? {}, optOutColumns),
    pauseActiveProspects: options.pause,
    confirmPublicDomain: options.confirmPublicDomain ?? false,
    onProgress: ({ total }) => progress.update(`${formatQuantity(total, 'row')}…`),
  })
  output.result(result, describe)
  setImportExitCode(result.invalid)
}

function describe(result: Output<'importOptOuts'>): string {
  const { total, added, alreadyPresent, pausedProspects, invalid, inFlight, issues } = result
  return [
    `Read ${formatQuantity(total, 'row')}: ${formatQuantity(added, 'entry', 'entries')} added, ${formatCount(alreadyPresent)} already present, ${formatQuantity(pausedProspects, 'prospect')} paused, ${formatCount(invalid)} invalid.`,
    ...(inFlight > 0
      ? [`${formatQuantity(inFlight, 'message')} could not be recalled: sending had already begun.`]
      : []),
    ...formatColumns(result.columns, result.ignoredColumns),
    ...describeIssues(issues, invalid),
  ].join('\n')
}
