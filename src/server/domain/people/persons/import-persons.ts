import { randomUUIDv7 } from 'node:crypto'
import type { Input, Output } from '../../../../contract/index.ts'
import type { Context } from '../../../kernel/context.ts'
import { analyzeGrownTables } from '../../../kernel/db/database.ts'
import { rehearse } from '../../../kernel/db/rehearse.ts'
import { toByteChunks } from '../../../protocols/csv/import-entries.ts'
import { audit } from '../../accounts/audit-log.ts'
import { type ImportedEmails, recordEmail, reportRiskyRows } from '../addresses/report-risky-rows.ts'
import { addPersons, type ChangeEffects, type PersonOutcome } from './add-persons.ts'
import { createMissingFields, getLabels } from './custom-columns.ts'
import { describeColumns, type ImportTally, importRows, openImportFile, toImportRows } from './import-rows.ts'
import { importStream, type StreamOptions } from './import-stream.ts'
import { type EnsureTags, openDetails } from './person-details.ts'
import { requireRep } from './persons.ts'

type Result = Output<'importPersons'>

/** Functions of higher-level modules; `handlers.ts` passes them in. */
type ImportEffects = ChangeEffects & { ensureTags: EnsureTags }

const MAX_ISSUES = 1_000
const MAX_PERSONS = 10_000

/** Creates the persons in CSV text or in rows, and fills the unknown fields of existing persons. */
export async function importPersons(
  ctx: Context,
  input: Input<'importPersons'>,
  effects: ImportEffects,
): Promise<Result> {
  const emails: ImportedEmails = new Map()
  const run = (context: Context) => runImport(context, input, effects, emails)
  const result = input.dryRun
    ? await rehearse(ctx, async context => withoutNewIds(await run(context)))
    : await run(ctx)
  reportRiskyRows(ctx, emails)
  return result
}

async function runImport(
  ctx: Context,
  input: Input<'importPersons'>,
  effects: ImportEffects,
  emails: ImportedEmails,
): Promise<Result> {
  if (input.ownerRepId) await requireRep(ctx, input.ownerRepId)
  const file = input.csv === undefined ? undefined : await openImportFile(toByteChunks(input.csv), input)
  await createMissingFields(ctx, getLabels(file ? { file } : { rows: input.rows! }), input)
  const details = await openDetails(ctx, input, effects.ensureTags)
  const issues: Result['issues'] = []
  const persons: Result['persons'] = []
  const startId = randomUUIDv7()
  const tally = await importRows(file?.rows ?? toImportRows(input.rows!), {
    add: async elements => {
      const outcomes = await addPersons(ctx, elements, { details, startId, ...effects })
      await analyzeGrownTables(ctx.sql)
      return outcomes
    },
    onOutcome: ({ line, element }, { outcome, reason, personId }: PersonOutcome) => {
      if (outcome === 'invalid' || outcome === 'do_not_contact') {
        if (issues.length < MAX_ISSUES) issues.push({ line, outcome, ...(reason && { reason }) })
        return
      }
      if (outcome !== 'duplicate') recordEmail(emails, line, element.email)
      if (persons.length < MAX_PERSONS) persons.push({ line, personId: personId!, outcome })
    },
  })
  await audit(ctx, 'import', 'person')
  return {
    ...toCounts(tally),
    ...(file ? describeColumns(file) : { columns: {}, ignoredColumns: [] }),
    issues,
    persons,
  }
}

function toCounts({ total, outcomes }: ImportTally<PersonOutcome['outcome']>) {
  const { created = 0, updated = 0, invalid = 0 } = outcomes
  return { total, created, updated, skipped: total - created - updated - invalid, invalid }
}

/** Omits the IDs of persons that a dry run did not keep. */
function withoutNewIds(result: Result): Result {
  const created = new Set(
    result.persons.flatMap(({ personId, outcome }) => (outcome === 'created' ? personId! : [])),
  )
  const persons = result.persons.map(({ personId, ...person }) =>
    created.has(personId!) ? person : { ...person, personId },
  )
  return { ...result, persons }
}

/**
 * Imports the persons of a CSV file of any size. After a crash the same file can be imported again: persons created by
 * an earlier run are reported as `unchanged`.
 */
export async function importPersonsFromStream(
  ctx: Context,
  stream: AsyncIterable<Uint8Array>,
  { effects, ...options }: StreamOptions<PersonOutcome> & { effects: ChangeEffects },
): Promise<ReturnType<typeof toCounts>> {
  const startId = randomUUIDv7()
  const tally = await importStream(ctx, stream, options, async (tx, elements, details) => {
    const outcomes = await addPersons(tx, elements, { details, startId, ...effects })
    await audit(tx, 'import', 'person')
    return outcomes
  })
  return toCounts(tally)
}
