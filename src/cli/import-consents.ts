import { createReadStream } from 'node:fs'
import type { Command } from 'commander'
import { consentColumns } from '../contract/consents.ts'
import type { Output } from '../contract/index.ts'
import { importConsentsFromStream } from '../server/domain/people/consents/import-consents.ts'
import { accountOption, columnMappingOption } from './arguments.ts'
import { findAccount, openContext } from './context.ts'
import { describeIssues, formatColumns, setImportExitCode, toColumnFields } from './import-summary.ts'
import { type CommandInput, withInstallation } from './open.ts'
import { formatCount, formatQuantity } from './output.ts'
import { openProgress } from './progress.ts'

type Options = { account?: string; map?: Record<string, string | null> }

export function addConsentImport(importCommand: Command): void {
  importCommand
    .command('consents')
    .description('Import call consents from a CSV file')
    .argument('<file>', 'CSV file of any size with a header line')
    .addOption(accountOption())
    .addOption(columnMappingOption())
    .addHelpText(
      'after',
      `
Each row is one consent. Required columns: phoneNumber, kind (written, express or existing_relationship) and proof.
Optional columns: name, source, givenAt and covers. --map imports any other column as one of these; --map "Notes="
ignores a column.

Invalid rows are skipped and reported by line; the exit code is then 3. Importing the same file again adds no duplicates
and does not restore withdrawn consents.

Example:
  $ overture import consents forms.csv --account Acme --map "Form address=proof"`,
    )
    .action(withInstallation<Options>(importFile))
}

async function importFile({ app, output, options, args: [file = ''] }: CommandInput<Options>): Promise<void> {
  const ctx = await openContext(app, await findAccount(app, options.account))
  using progress = openProgress(output.isQuiet)
  const result = await importConsentsFromStream(ctx, createReadStream(file), {
    map: toColumnFields(options.map ?? {}, consentColumns),
    onProgress: ({ total }) => progress.update(`${formatQuantity(total, 'row')}…`),
  })
  output.result(result, describe)
  setImportExitCode(result.invalid)
}

function describe(result: Output<'importConsents'>): string {
  const { total, added, alreadyPresent, invalid, columns, ignoredColumns, issues } = result
  return [
    `Read ${formatQuantity(total, 'row')}: ${formatQuantity(added, 'consent')} added, ${formatCount(alreadyPresent)} already present, ${formatCount(invalid)} invalid.`,
    ...formatColumns(columns, ignoredColumns),
    ...describeIssues(issues, invalid),
  ].join('\n')
}
