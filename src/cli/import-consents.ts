import { createReadStream } from 'node:fs'
import type { Command } from 'commander'
import { consentColumns } from '../contract/consents.ts'
import type { Output } from '../contract/index.ts'
import { importConsentsFromStream } from '../server/domain/people/consents/import-consents.ts'
import { accountOption, readMapping } from './arguments.ts'
import { chooseAccount, contextIn } from './context.ts'
import { readMap } from './import-opt-outs.ts'
import { type Work, withInstallation } from './open.ts'
import { openProgress } from './progress.ts'

type Options = { account?: string; map?: Record<string, string | null> }

export function addConsentImport(importCommand: Command): void {
  importCommand
    .command('consents')
    .description('record the consents to calls of a CSV file')
    .argument('<file>', 'CSV of any size, with a header line')
    .addOption(accountOption())
    .option('--map <header=field>', 'read a column as this field; may be given often', readMapping)
    .addHelpText(
      'after',
      `
Each row is a consent: phoneNumber, kind (written, express or existing_relationship) and proof, and where known name,
source, givenAt and covers. --map reads any other column as one of them; with no field, as in "Notes=", the column is
left out.

A row that cannot be read is left out and named with its line. Importing the same file again records nothing twice, and
brings back none that was withdrawn.

Example:
  $ overture import consents forms.csv --account Acme --map "Form address=proof"`,
    )
    .action(withInstallation<Options>(importFile))
}

async function importFile({ app, output, options, args: [file = ''] }: Work<Options>): Promise<void> {
  const ctx = await contextIn(app, await chooseAccount(app, options.account))
  using progress = openProgress(output.isQuiet)
  const result = await importConsentsFromStream(ctx, createReadStream(file), {
    map: readMap(options.map ?? {}, consentColumns),
    onProgress: ({ total }) => progress.update(`${count(total)} rows…`),
  })
  output.result(result, describe)
}

const count = (n: number): string => n.toLocaleString('en')

function describe(result: Output<'importConsents'>): string {
  const { total, added, alreadyPresent, invalid, issues } = result
  return [
    `Read ${count(total)} rows: ${count(added)} consents recorded, ${count(alreadyPresent)} there already, ${count(invalid)} rows left out.`,
    `Columns read: ${Object.entries(result.columns)
      .map(([name, field]) => `${name} → ${field}`)
      .join(', ')}`,
    ...(result.ignoredColumns.length > 0 ? [`Columns left out: ${result.ignoredColumns.join(', ')}`] : []),
    ...issues.map(({ line, reason }) => `Line ${line}: ${reason}`),
    ...(invalid > issues.length ? [`… and ${count(invalid - issues.length)} more rows`] : []),
  ].join('\n')
}
