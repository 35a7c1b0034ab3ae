import { createReadStream } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import type { Command } from 'commander'
import { prospectFields } from '../server/domain/people/persons/csv-fields.ts'
import { importProspectsFromStream } from '../server/domain/prospects/import-prospects.ts'
import { findMissing } from '../server/domain/rendering/find-missing.ts'
import { toDatabaseError } from '../server/kernel/db/database.ts'
import { accountOption, readId, readMapping } from './arguments.ts'
import { chooseAccount, contextIn } from './context.ts'
import { addConsentImport } from './import-consents.ts'
import { addLinkedinImport } from './import-linkedin.ts'
import { addOptOutImport } from './import-opt-outs.ts'
import { openImportResult } from './import-result.ts'
import { type Work, withInstallation } from './open.ts'
import { openProgress } from './progress.ts'
import { stopSignal } from './stop-signal.ts'
import { UsageError } from './usage-error.ts'

type Options = { account?: string; campaign: string; map?: Record<string, string | null>; result?: string }

export function addImportCommands(program: Command): void {
  const importCommand = program.command('import').description('read files into an account')
  addOptOutImport(importCommand)
  addConsentImport(importCommand)
  addLinkedinImport(importCommand)
  importCommand
    .command('prospects')
    .description('add the people of a CSV file to a campaign')
    .argument('<file>', 'CSV with a header line, of any size')
    .addOption(accountOption())
    .requiredOption('--campaign <id>', 'campaign to add them to, as `campaign list` shows it', readId)
    .option('--map <header=field>', 'read a column as this field; may be given often', readMapping)
    .option('--result <file>', 'what became of each row; FILE.result.csv when absent')
    .addHelpText(
      'after',
      `
The columns of Apollo, HubSpot, LinkedIn and Salesforce are recognised. --map reads any other column as one of
${prospectFields.join(', ')};
with no field, as in "Notes=", the column is left out.

Each row ends in an outcome, written beside it into the result file: added, already_in_campaign,
duplicate_in_request, do_not_contact, in_other_active_campaign, or invalid with the reason. Importing the same file
again adds nobody twice, so after an interruption simply repeat the command.

Example:
  $ overture import prospects people.csv --campaign 01980000-0000-7000-8000-000000000001 --map "Mail (work)=email"`,
    )
    .action(withInstallation<Options>(importFile))
}

async function importFile({ app, output, options, args: [file = ''] }: Work<Options>): Promise<void> {
  const { size } = await stat(file)
  const resultFile = options.result ?? `${file}.result.csv`
  if ((await realpath(resultFile).catch(() => undefined)) === (await realpath(file))) {
    throw new UsageError('The result must not overwrite the file itself.')
  }
  const ctx = await contextIn(app, await chooseAccount(app, options.account))
  const interruption = new AbortController()
  stopSignal().then(() => {
    output.say('Stopping in a moment…')
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
        const share = size > 0 ? ` (${Math.round((100 * bytes) / size)} % of the file read)` : ''
        progress.update(`${count(total)} rows, ${count(added)} added${share}…`)
        interruption.signal.throwIfAborted()
      },
    })
    output.result({ ...totals, ...result.summary(), resultFile }, describe)
  } catch (error) {
    throw asUnfinished(interruption.signal.aborted ? interruption.signal.reason : error, rows)
  }
}

const count = (n: number): string => n.toLocaleString('en')

function asUnfinished(error: unknown, rows: number): unknown {
  const fault = toDatabaseError(error) ?? error
  if (rows === 0 || !(fault instanceof Error)) return fault
  return new Error(
    `${fault.message} ${count(rows)} rows were done by then. Repeat the command to go on: nobody is added twice.`,
    { cause: fault },
  )
}

type Summary = {
  total: number
  outcomes: Record<string, number>
  columns: Record<string, string>
  ignoredColumns: string[]
  incomplete: number
  resultFile: string
}

const words: Record<string, string> = {
  added: 'added',
  already_in_campaign: 'in the campaign already',
  duplicate_in_request: 'twice in the file',
  do_not_contact: 'on the Do Not Contact list',
  in_other_active_campaign: 'in another active campaign',
  invalid: 'invalid',
}

function describe({ total, outcomes, columns, ignoredColumns, incomplete, resultFile }: Summary): string {
  const parts = Object.entries(words).flatMap(([outcome, word]) =>
    outcomes[outcome] ? [`${count(outcomes[outcome])} ${word}`] : [],
  )
  return [
    `Read ${count(total)} rows${parts.length > 0 ? `: ${parts.join(', ')}` : ''}.`,
    `Columns read: ${Object.entries(columns)
      .map(([name, field]) => `${name} → ${field}`)
      .join(', ')}`,
    ...(ignoredColumns.length > 0 ? [`Columns left out: ${ignoredColumns.join(', ')}`] : []),
    ...(incomplete > 0
      ? [
          `${count(incomplete)} of those added have no value for something that the steps say, and get nothing until they do.`,
        ]
      : []),
    `What became of each row: ${resultFile}`,
  ].join('\n')
}
