import { createReadStream } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import type { Command } from 'commander'
import { prospectFields } from '../contract/csv-headers.ts'
import { importProspectsFromStream } from '../server/domain/prospects/import-prospects.ts'
import { findMissing } from '../server/domain/rendering/find-missing.ts'
import { toDatabaseError } from '../server/kernel/db/database.ts'
import { accountOption, columnMappingOption, parseId } from './arguments.ts'
import { findAccount, openContext } from './context.ts'
import { addConsentImport } from './import-consents.ts'
import { addLinkedinImport } from './import-linkedin.ts'
import { addOptOutImport } from './import-opt-outs.ts'
import { openImportResult } from './import-result.ts'
import { describeColumns, describeIssues, setImportExitCode } from './import-summary.ts'
import { type CommandInput, withInstallation } from './open.ts'
import { formatCount, formatQuantity } from './output.ts'
import { openProgress } from './progress.ts'
import { waitForStopSignal } from './stop-signal.ts'
import { UsageError } from './usage-error.ts'

type Options = { account?: string; campaign: string; map?: Record<string, string | null>; result?: string }

export function addImportCommands(program: Command): void {
  const importCommand = program.command('import').description('Import files into an account')
  addOptOutImport(importCommand)
  addConsentImport(importCommand)
  addLinkedinImport(importCommand)
  importCommand
    .command('prospects')
    .description('Add the people of a CSV file to a campaign')
    .argument('<file>', 'CSV file of any size with a header line')
    .addOption(accountOption())
    .requiredOption('--campaign <id>', 'Id of the campaign (see `campaign list`)', parseId)
    .addOption(columnMappingOption())
    .option('--result <file>', 'Where to write the outcome of each row (default: FILE.result.csv)')
    .addHelpText(
      'after',
      `
Columns of Apollo, HubSpot, LinkedIn and Salesforce exports are recognized. --map imports any other column as one of
${prospectFields.join(', ')};
--map "Notes=" ignores a column.

The result file repeats each row with its outcome: added, already_in_campaign, duplicate_in_request, do_not_contact,
in_other_active_campaign or invalid, with the reason. Invalid rows are printed, too, and the exit code is then 3.
Importing the same file again adds no duplicates, so repeat the command after an interruption.

Example:
  $ overture import prospects people.csv --campaign 01980000-0000-7000-8000-000000000001 --map "Mail (work)=email"`,
    )
    .action(withInstallation<Options>(importFile))
}

async function importFile({ app, output, options, args: [file = ''] }: CommandInput<Options>): Promise<void> {
  const { size } = await stat(file)
  const resultFile = options.result ?? `${file}.result.csv`
  if ((await realpath(resultFile).catch(() => undefined)) === (await realpath(file))) {
    throw new UsageError('The result file must not overwrite the imported file.')
  }
  const ctx = await openContext(app, await findAccount(app, options.account))
  const interruption = new AbortController()
  waitForStopSignal().then(() => {
    output.info('Stopping…')
    interruption.abort(new Error('Interrupted.'))
  })
  using progress = openProgress(output.isQuiet)
  using result = openImportResult(resultFile)
  let bytes = 0
  const blocks = async function* () {
    for await (const block of createReadStream(file, { signal: interruption.signal })) {
      bytes += block.length
      yield block
    }
  }
  let rows = 0
  try {
    const totals = await importProspectsFromStream(ctx, options.campaign, blocks(), {
      findMissing,
      map: options.map ?? {},
      onFile: result.begin,
      onOutcome: result.add,
      onProgress: ({ total, added }) => {
        rows = total
        // A pipe has no size.
        const percent = size > 0 ? ` (${Math.round((100 * bytes) / size)}% of the file)` : ''
        progress.update(`${formatQuantity(total, 'row')}, ${formatCount(added)} added${percent}…`)
        interruption.signal.throwIfAborted()
      },
    })
    const summary = result.summary()
    output.result({ ...totals, ...summary, resultFile }, describe)
    setImportExitCode(summary.outcomes.invalid ?? 0)
  } catch (error) {
    throw toInterruptedError(interruption.signal.aborted ? interruption.signal.reason : error, rows)
  }
}

function toInterruptedError(error: unknown, rows: number): unknown {
  const cause = toDatabaseError(error) ?? error
  if (rows === 0 || !(cause instanceof Error)) return cause
  return new Error(
    `${cause.message} Imported ${formatQuantity(rows, 'row')}. Repeat the command to continue; it adds no duplicates.`,
    { cause },
  )
}

type Summary = {
  total: number
  outcomes: Record<string, number>
  columns: Record<string, string>
  ignoredColumns: string[]
  issues: { line: number; reason: string }[]
  incomplete: number
  resultFile: string
}

const outcomeLabels: Record<string, string> = {
  added: 'added',
  already_in_campaign: 'already in the campaign',
  duplicate_in_request: 'duplicates in the file',
  do_not_contact: 'on the Do Not Contact list',
  in_other_active_campaign: 'in another active campaign',
  invalid: 'invalid',
}

function describe(summary: Summary): string {
  const { total, outcomes, columns, ignoredColumns, issues, incomplete, resultFile } = summary
  const parts = Object.entries(outcomeLabels).flatMap(([outcome, label]) =>
    outcomes[outcome] ? [`${formatCount(outcomes[outcome])} ${label}`] : [],
  )
  return [
    `Read ${formatQuantity(total, 'row')}${parts.length > 0 ? `: ${parts.join(', ')}` : ''}.`,
    ...describeColumns(columns, ignoredColumns),
    ...(incomplete > 0
      ? [
          `Added without a value for a variable in the steps: ${formatQuantity(incomplete, 'prospect')}. Nothing is sent to them until they have one.`,
        ]
      : []),
    ...describeIssues(issues, outcomes.invalid ?? 0),
    `Outcome of each row: ${resultFile}`,
  ].join('\n')
}
