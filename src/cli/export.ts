import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { Argument, type Command } from 'commander'
import {
  type ExportCell,
  type ExportKind,
  exportKinds,
  openExport,
} from '../server/domain/reports/exports.ts'
import { writeCsv } from '../server/protocols/csv/write.ts'
import { accountOption, readId } from './arguments.ts'
import { chooseAccount, contextIn } from './context.ts'
import { withInstallation } from './open.ts'
import { openProgress } from './progress.ts'

type Options = { account?: string; campaign?: string; out?: string }

export function addExportCommands(program: Command): void {
  program
    .command('export')
    .description('write what an account has as CSV, oldest first')
    .addArgument(new Argument('<what>').choices(exportKinds))
    .addOption(accountOption())
    .option('--campaign <id>', 'only prospects or messages of this campaign', readId)
    .option('--out <file>', 'file to write; standard output when absent')
    .addHelpText(
      'after',
      `
With --json each row is a line of JSON. In CSV a cell that a spreadsheet would run as a formula begins with '.

Examples:
  $ overture export opt-outs --account Acme > opt-outs.csv
  $ overture export prospects --campaign 01980000-0000-7000-8000-000000000001 --out prospects.csv`,
    )
    .action(
      withInstallation<Options>(async ({ app, output, options, args: [kind] }) => {
        const ctx = await contextIn(app, await chooseAccount(app, options.account))
        const { columns, pages } = await openExport(ctx, kind as ExportKind, { campaignId: options.campaign })
        using progress = openProgress(output.isQuiet)
        let count = 0
        const rows = async function* () {
          for await (const page of pages) {
            yield* page.map(row => columns.map(column => row[column] ?? null))
            count += page.length
            progress.update(`${count.toLocaleString('en')} rows…`)
          }
        }
        const text = options.json ? writeJsonLines(columns, rows()) : writeCsv(columns, rows())
        await pipeline(text, options.out ? createWriteStream(options.out) : process.stdout)
        if (options.out) output.say(`Wrote ${count.toLocaleString('en')} rows to ${options.out}.`)
      }),
    )
}

async function* writeJsonLines(columns: string[], rows: AsyncIterable<ExportCell[]>): AsyncGenerator<string> {
  for await (const row of rows) {
    yield `${JSON.stringify(Object.fromEntries(columns.map((column, index) => [column, row[index]])))}\n`
  }
}
