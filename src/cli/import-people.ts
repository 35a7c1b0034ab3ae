import { createReadStream } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import type { Command } from 'commander'
import { prospectFields } from '../contract/person-fields.ts'
import { rescheduleSteps } from '../server/domain/linkedin/reschedule-steps.ts'
import { importPersonsFromStream } from '../server/domain/people/persons/import-persons.ts'
import type { RowOutcome } from '../server/domain/people/persons/import-rows.ts'
import type { StreamOptions } from '../server/domain/people/persons/import-stream.ts'
import { retryAtFilledCompanies } from '../server/domain/prospects/filled-companies.ts'
import { forbidAppChangedCallees } from '../server/domain/prospects/forbid-app-changed-callees.ts'
import { importProspectsFromStream } from '../server/domain/prospects/import-prospects.ts'
import { retryIncompletePersons } from '../server/domain/prospects/incomplete.ts'
import { findMissing } from '../server/domain/rendering/find-missing.ts'
import type { Context } from '../server/kernel/context.ts'
import { toDatabaseError } from '../server/kernel/db/database.ts'
import { accountOption, columnMappingOption, parseCustomColumn, parseId } from './arguments.ts'
import { findAccount, openContext } from './context.ts'
import { openImportResult } from './import-result.ts'
import { describeIssues, formatColumns, setImportExitCode } from './import-summary.ts'
import { type CommandInput, withInstallation } from './open.ts'
import { formatCount, formatQuantity } from './output.ts'
import { openProgress } from './progress.ts'
import { UsageError } from './usage-error.ts'

type Options = {
  account?: string
  campaign?: string
  map?: Record<string, string | null>
  custom?: Record<string, string>
  createCustomFields?: true
  result?: string
}

type PeopleImport = {
  start: (
    ctx: Context,
    stream: AsyncIterable<Uint8Array>,
    options: StreamOptions<RowOutcome> & { campaign: string | undefined },
  ) => Promise<{ total: number }>
  /** Labels by outcome; the first outcome counts as progress. */
  outcomeLabels: Record<string, string>
}

const prospectImport: PeopleImport = {
  start: (ctx, stream, { campaign, ...options }) =>
    importProspectsFromStream(ctx, campaign!, stream, {
      ...options,
      effects: { findMissing, rescheduleSteps },
    }),
  outcomeLabels: {
    added: 'added',
    already_in_campaign: 'already in the campaign',
    duplicate_in_request: 'duplicated in the file',
    do_not_contact: 'on the Do Not Contact list',
    in_other_active_campaign: 'in another active campaign',
    invalid: 'invalid',
  },
}

const personImport: PeopleImport = {
  start: (ctx, stream, options) =>
    importPersonsFromStream(ctx, stream, {
      ...options,
      effects: {
        forbidAppChangedCallees,
        retryIncompletePersons,
        rescheduleSteps,
        retryAtFilledCompanies,
      },
    }),
  outcomeLabels: {
    created: 'added',
    updated: 'updated',
    unchanged: 'unchanged',
    duplicate: 'duplicated in the file',
    do_not_contact: 'on the Do Not Contact list',
    invalid: 'invalid',
  },
}

const columnsHelp = `
Columns of Apollo, HubSpot, LinkedIn and Salesforce exports are recognized. --map imports any other column as one of
${prospectFields.join(', ')};
--map "Notes=" ignores a column. --custom imports a column as a custom field of persons.`

const repeatHelp = `Invalid rows are printed, too, and the exit code is then 3.
Importing the same file again adds no duplicates, so repeat the command after an interruption.`

export function addPeopleImports(importCommand: Command): void {
  addPeopleImport(
    importCommand
      .command('persons')
      .description('Add the people in a CSV file to the account, without a campaign'),
    personImport,
    `
The result file repeats each row with its outcome: created, updated, unchanged, duplicate, do_not_contact or invalid, with
the reason. For people who already exist, only missing values are added. ${repeatHelp}

Example:
  $ overture import persons people.csv --custom "Plan=plan" --create-custom-fields`,
  )
  addPeopleImport(
    importCommand
      .command('prospects')
      .description('Add the people in a CSV file to a campaign')
      .requiredOption('--campaign <id>', 'ID of the campaign (see `campaign list`)', parseId),
    prospectImport,
    `
The result file repeats each row with its outcome: added, already_in_campaign, duplicate_in_request, do_not_contact,
in_other_active_campaign or invalid, with the reason. ${repeatHelp}

Example:
  $ overture import prospects people.csv --campaign 01980000-0000-7000-8000-000000000001 --map "Mail (work)=email"`,
  )
}

const addPeopleImport = (command: Command, definition: PeopleImport, help: string): Command =>
  command
    .argument('<file>', 'CSV file of any size with a header line')
    .addOption(accountOption())
    .addOption(columnMappingOption())
    .option(
      '--custom <column=key>',
      'Import a column as the custom field with this key; repeatable',
      parseCustomColumn,
    )
    .option('--create-custom-fields', 'Create custom fields of type text for unknown keys')
    .option('--result <file>', 'Where to write the outcome of each row (default: FILE.result.csv)')
    .addHelpText('after', `${columnsHelp}\n${help}`)
    .action(withInstallation<Options>(input => importFile(input, definition), { endsOnStop: true }))

async function importFile(
  { app, output, options, args: [file = ''], stop }: CommandInput<Options>,
  { start, outcomeLabels }: PeopleImport,
): Promise<void> {
  const { size } = await stat(file)
  const resultFile = options.result ?? `${file}.result.csv`
  if ((await realpath(resultFile).catch(() => undefined)) === (await realpath(file))) {
    throw new UsageError('The result file must not overwrite the imported file.')
  }
  const ctx = await openContext(app, await findAccount(app, options.account))
  using progress = openProgress(output.isQuiet)
  using result = openImportResult(resultFile)
  let bytes = 0
  const blocks = async function* () {
    for await (const block of createReadStream(file, { signal: stop })) {
      bytes += block.length
      yield block
    }
  }
  let rows = 0
  try {
    const totals = await start(ctx, blocks(), {
      campaign: options.campaign,
      map: options.map,
      customColumns: options.custom,
      createCustomFields: options.createCustomFields,
      onFile: result.begin,
      onOutcome: result.add,
      onProgress: ({ total, outcomes }) => {
        rows = total
        const added = outcomes[Object.keys(outcomeLabels)[0]!] ?? 0
        // A pipe has no size.
        const percent = size > 0 ? ` (${Math.round((100 * bytes) / size)}% of the file)` : ''
        progress.update(`${formatQuantity(total, 'row')}, ${formatCount(added)} added${percent}…`)
        stop.throwIfAborted()
      },
    })
    const summary = result.summary()
    output.result({ ...totals, ...summary, resultFile }, result => describe(result, outcomeLabels))
    setImportExitCode(summary.outcomes.invalid ?? 0)
  } catch (error) {
    throw toInterruptedError(stop.aborted ? stop.reason : error, rows)
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

function describe(summary: Summary, outcomeLabels: PeopleImport['outcomeLabels']): string {
  const { total, outcomes, columns, ignoredColumns, issues, incomplete, resultFile } = summary
  const parts = Object.entries(outcomeLabels).flatMap(([outcome, label]) =>
    outcomes[outcome] ? [`${formatCount(outcomes[outcome])} ${label}`] : [],
  )
  return [
    `Read ${formatQuantity(total, 'row')}${parts.length > 0 ? `: ${parts.join(', ')}` : ''}.`,
    ...formatColumns(columns, ignoredColumns),
    ...(incomplete > 0
      ? [
          `Added without a value for a variable in the steps: ${formatQuantity(incomplete, 'prospect')}. Nothing is sent to them until they have one.`,
        ]
      : []),
    ...describeIssues(issues, outcomes.invalid ?? 0),
    `Outcome of each row: ${resultFile}`,
  ].join('\n')
}
