import { randomUUIDv7 } from 'node:crypto'
import type { Input, Output } from '../../../contract/index.ts'
import { type Context, inAccount } from '../../kernel/context.ts'
import { analyzeGrownTables } from '../../kernel/db/database.ts'
import { rehearse } from '../../kernel/db/rehearse.ts'
import { toByteChunks } from '../../protocols/csv/import-entries.ts'
import { type ImportedEmails, recordEmail, reportRiskyRows } from '../people/addresses/report-risky-rows.ts'
import { createMissingFields, getLabels } from '../people/persons/custom-columns.ts'
import {
  describeColumns,
  type ImportTally,
  importRows,
  openImportFile,
} from '../people/persons/import-rows.ts'
import { importStream, type StreamOptions } from '../people/persons/import-stream.ts'
import { type EnsureTags, openDetails } from '../people/persons/person-details.ts'
import { requireRep } from '../people/persons/persons.ts'
import { type AddEffects, addProspects, lockOpenCampaign } from './add-prospects.ts'
import type { AddOutcome } from './skip-reasons.ts'

type Result = Output<'importProspects'>

/** Functions of higher-level modules; `handlers.ts` passes them in. */
type ImportEffects = AddEffects & { ensureTags: EnsureTags }

const MAX_ISSUES = 1_000
const MAX_PROSPECTS = 10_000
const MAX_INCOMPLETE = 100

/** Adds the rows of CSV text within the current transaction. */
export async function importProspects(
  ctx: Context,
  input: Input<'importProspects'>,
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
  input: Input<'importProspects'>,
  { ensureTags, ...effects }: ImportEffects,
  emails: ImportedEmails,
): Promise<Result> {
  const { campaignId, csv, ownerRepId } = input
  await lockOpenCampaign(ctx, campaignId)
  if (ownerRepId) await requireRep(ctx, ownerRepId)
  const file = await openImportFile(toByteChunks(csv), input)
  await createMissingFields(ctx, getLabels({ file }), input)
  const details = await openDetails(ctx, input, ensureTags)
  const issues: Result['issues'] = []
  const prospects: Result['prospects'] = []
  const incomplete: NonNullable<Result['incomplete']> = { total: 0, rows: [] }
  const markDuplicates = createDuplicateMarker()
  const tally = await importRows(file.rows, {
    add: async elements => {
      const outcomes = await addProspects(ctx, campaignId, elements, {
        ...{ onInvalid: 'report', effects, details },
      })
      await analyzeGrownTables(ctx.sql)
      return markDuplicates(outcomes)
    },
    onOutcome: ({ line, element }, { outcome, reason, prospectId, personId, missing }: AddOutcome) => {
      if (outcome === 'added') recordEmail(emails, line, element.email)
      if (missing) incomplete.total++
      if (missing && incomplete.rows.length < MAX_INCOMPLETE)
        incomplete.rows.push({ line, variables: missing })
      if (prospectId && hasProspect(outcome) && prospects.length < MAX_PROSPECTS)
        prospects.push({ line, outcome, prospectId, personId, ...(missing && { missing }) })
      if (outcome !== 'added' && issues.length < MAX_ISSUES)
        issues.push({ line, outcome, ...(reason && { reason }) })
    },
  })
  return {
    ...toTotals(tally),
    ...describeColumns(file),
    prospects,
    issues,
    ...(incomplete.total > 0 && { incomplete }),
  }
}

const hasProspect = (outcome: AddOutcome['outcome']): outcome is Result['prospects'][number]['outcome'] =>
  ['added', 'already_in_campaign', 'duplicate_in_request'].includes(outcome)

/** Omits the IDs of prospects that a dry run did not keep. */
function withoutNewIds(result: Result): Result {
  const added = new Set(
    result.prospects.flatMap(({ prospectId, outcome }) => (outcome === 'added' ? prospectId! : [])),
  )
  const prospects = result.prospects.map(({ prospectId, personId, ...prospect }) =>
    added.has(prospectId!) ? prospect : { ...prospect, prospectId, personId },
  )
  return { ...result, prospects }
}

/**
 * Adds the rows of a CSV file of any size. After a crash the same file can be imported again: rows added by
 * an earlier run are reported as `already_in_campaign`.
 */
export async function importProspectsFromStream(
  ctx: Context,
  campaignId: string,
  stream: AsyncIterable<Uint8Array>,
  { effects, ...options }: StreamOptions<AddOutcome> & { effects: AddEffects },
): Promise<ImportTotals> {
  await inAccount(ctx.app.db.app, ctx.accountId, sql => lockOpenCampaign({ ...ctx, sql }, campaignId))
  const markDuplicates = createDuplicateMarker()
  const tally = await importStream(ctx, stream, options, async (tx, elements, details) =>
    markDuplicates(await addProspects(tx, campaignId, elements, { onInvalid: 'report', effects, details })),
  )
  return toTotals(tally)
}

type ImportTotals = { total: number; added: number; skipped: number; invalid: number }

function toTotals({ total, outcomes }: ImportTally<AddOutcome['outcome']>): ImportTotals {
  const { added = 0, invalid = 0 } = outcomes
  return { total, added, skipped: total - added - invalid, invalid }
}

/** Returns a function that marks as duplicates the prospects that an earlier chunk of the import added. */
function createDuplicateMarker(): (outcomes: readonly AddOutcome[]) => AddOutcome[] {
  // IDs increase over time: a prospect with a later ID came from an earlier row of this file.
  const startId = randomUUIDv7()
  return outcomes =>
    outcomes.map(outcome =>
      outcome.outcome === 'already_in_campaign' && outcome.prospectId! > startId
        ? { ...outcome, outcome: 'duplicate_in_request', reason: 'is the same person as in an earlier row' }
        : outcome,
    )
}
