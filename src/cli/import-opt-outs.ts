import { createReadStream } from 'node:fs'
import type { Command } from 'commander'
import { optOutColumns } from '../contract/dnc.ts'
import type { Output } from '../contract/index.ts'
import { importOptOutsFromStream } from '../server/domain/dnc/import-opt-outs.ts'
import { accountOption, readMapping } from './arguments.ts'
import { chooseAccount, contextIn } from './context.ts'
import { type Work, withInstallation } from './open.ts'
import { openProgress } from './progress.ts'
import { UsageError } from './usage-error.ts'

type Options = {
  account?: string
  map?: Record<string, string | null>
  pause: boolean
  confirmPublicDomain?: true
}

export function addOptOutImport(importCommand: Command): void {
  importCommand
    .command('opt-outs')
    .description('put the people and domains of a CSV file on the Do Not Contact list')
    .argument('<file>', 'CSV of any size, with a header line or one identifier a line')
    .addOption(accountOption())
    .option('--map <header=field>', 'read a column as this field; may be given often', readMapping)
    .option('--no-pause', 'leave the prospects it matches as they are; nothing is sent to them either way')
    .option('--confirm-public-domain', 'take domains that give addresses to anybody, such as gmail.com')
    .addHelpText(
      'after',
      `
The columns of the common tools are recognised, and those of \`overture export opt-outs\`. --map reads any other column
as one of ${optOutColumns.join(', ')}; with no field, as in "Notes=", the column is left out.

A row that cannot be read is left out and named with its line. Importing the same file again changes nothing.

Example:
  $ overture import opt-outs suppressed.csv --account Acme --map "Blocked address=email"`,
    )
    .action(withInstallation<Options>(importFile))
}

async function importFile({ app, output, options, args: [file = ''] }: Work<Options>): Promise<void> {
  const ctx = await contextIn(app, await chooseAccount(app, options.account))
  using progress = openProgress(output.isQuiet)
  const result = await importOptOutsFromStream(ctx, createReadStream(file), {
    map: readMap(options.map ?? {}, optOutColumns),
    pauseActiveProspects: options.pause,
    confirmPublicDomain: options.confirmPublicDomain ?? false,
    onProgress: ({ total }) => progress.update(`${count(total)} rows…`),
  })
  output.result(result, describe)
}

/** The fields that columns are to be read as, of those that there are. */
export function readMap<Name extends string>(
  map: Record<string, string | null>,
  names: readonly Name[],
): Record<string, Name | null> {
  return Object.fromEntries(
    Object.entries(map).map(([header, field]) => {
      const known = names.find(name => name === field)
      if (field !== null && !known)
        throw new UsageError(`There is no field ${field}. There are: ${names.join(', ')}.`)
      return [header, known ?? null]
    }),
  )
}

const count = (n: number): string => n.toLocaleString('en')

function describe(result: Output<'importOptOuts'>): string {
  const { total, added, alreadyPresent, pausedProspects, invalid, inFlight, issues } = result
  return [
    `Read ${count(total)} rows: ${count(added)} entries added, ${count(alreadyPresent)} there already, ${count(pausedProspects)} prospects paused, ${count(invalid)} rows left out.`,
    ...(inFlight > 0 ? [`${count(inFlight)} messages had left before and could not be recalled.`] : []),
    `Columns read: ${Object.entries(result.columns)
      .map(([name, field]) => `${name} → ${field}`)
      .join(', ')}`,
    ...(result.ignoredColumns.length > 0 ? [`Columns left out: ${result.ignoredColumns.join(', ')}`] : []),
    ...issues.map(({ line, reason }) => `Line ${line}: ${reason}`),
    ...(invalid > issues.length ? [`… and ${count(invalid - issues.length)} more rows`] : []),
  ].join('\n')
}
