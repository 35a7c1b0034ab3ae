import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { Argument, type Command } from 'commander'
import { exportKinds } from '../contract/exports.ts'
import { type ExportCell, type ExportKind, openExport } from '../server/domain/reports/export-rows.ts'
import { writeCsv } from '../server/protocols/csv/write.ts'
import { accountOption, parseId } from './arguments.ts'
import { findAccount, openContext } from './context.ts'
import { withInstallation } from './open.ts'
import { formatQuantity } from './output.ts'
import { openProgress } from './progress.ts'

type Options = { account?: string; campaign?: string; out?: string }

export function addExportCommands(program: Command): void {
  program
    .command('export')
    .description('Export records of an account as CSV, oldest first')
    .addArgument(
      new Argument('<records>', 'Records to export').choices(exportKinds.map(kind => kind.replace('_', '-'))),
    )
    .addOption(accountOption())
    .option('--campaign <id>', 'Only prospects or messages of this campaign', parseId)
    .option('--out <file>', 'File to write to (default: standard output)')
    .addHelpText(
      'after',
      `
--json writes one JSON object per line. CSV cells that a spreadsheet would run as a formula get a leading apostrophe.

Examples:
  $ overture export opt-outs --account Acme > opt-outs.csv
  $ overture export prospects --campaign 01980000-0000-7000-8000-000000000001 --out prospects.csv`,
    )
    .action(
      withInstallation<Options>(async ({ app, output, options, args: [kind] }) => {
        const ctx = await openContext(app, await findAccount(app, options.account))
        const { columns, pages } = await openExport(ctx, kind!.replace('-', '_') as ExportKind, {
          campaignId: options.campaign,
        })
        using progress = openProgress(output.isQuiet)
        let rowCount = 0
        const rows = async function* () {
          for await (const page of pages) {
            yield* page.map(row => columns.map(column => row[column] ?? null))
            rowCount += page.length
            progress.update(`${formatQuantity(rowCount, 'row')}…`)
          }
        }
        const text = options.json ? writeJsonLines(columns, rows()) : writeCsv(columns, rows())
        await pipeline(text, options.out ? createWriteStream(options.out) : process.stdout)
        if (options.out) output.info(`Wrote ${formatQuantity(rowCount, 'row')} to ${options.out}.`)
      }),
    )
}

async function* writeJsonLines(columns: string[], rows: AsyncIterable<ExportCell[]>): AsyncGenerator<string> {
  for await (const row of rows) {
    yield `${JSON.stringify(Object.fromEntries(columns.map((column, index) => [column, row[index]])))}\n`
  }
}
