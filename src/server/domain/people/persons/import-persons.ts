import type { Input, Output } from '../../../../contract/index.ts'
import type { Context } from '../../../kernel/context.ts'
import { analyzeGrownTables, pipeline } from '../../../kernel/db/database.ts'
import { rehearse } from '../../../kernel/db/rehearse.ts'
import type { ErrorDetail } from '../../../kernel/errors.ts'
import { toByteChunks } from '../../../protocols/csv/import-entries.ts'
import { audit } from '../../accounts/audit-log.ts'
import { getDefaultCountry } from '../../accounts/default-country.ts'
import { findOwnDomains } from '../companies/own-domains.ts'
import { type CustomValues, openCustomParser } from '../custom-fields/custom-values.ts'
import { addDetails } from './add-details.ts'
import { type CsvFile, readCsvRows } from './csv-rows.ts'
import {
  type CustomColumns,
  createMissingFields,
  describeColumns,
  getLabels,
  type ImportRow,
  locateColumns,
  toImportRow,
  toImportRows,
} from './custom-columns.ts'
import { findBlockers } from './find-blockers.ts'
import { parsePerson } from './parse-person.ts'
import type { IndexedPerson } from './person-index.ts'
import { findOverTagged, MAX_TAGS } from './person-tags.ts'
import { requireRep } from './persons.ts'
import { resolvePersons } from './resolve-persons.ts'

type Result = Output<'importPersons'>
type Outcome = Result['persons'][number]['outcome'] | 'invalid' | 'do_not_contact'

/** Functions of modules above this one; `handlers.ts` passes them in. */
type ImportEffects = {
  /** Returns the names in the account's spelling and creates missing tags. */
  ensureTags: (ctx: Context, names: string[]) => Promise<string[]>
  forbidAppChangedCallees: (ctx: Context, people: { personIds: readonly string[] }) => Promise<void>
  retryIncompletePersons: (ctx: Context, personIds: readonly string[]) => Promise<void>
}

const CHUNK_ROWS = 1_000
const MAX_ISSUES = 1_000
const MAX_PERSONS = 10_000
const TOO_MANY_TAGS = `tags: the person would have more than ${MAX_TAGS} tags; take some off the person first`

/** Creates the persons of a CSV text or of rows and fills what is unknown about those that exist. */
export const importPersons = (
  ctx: Context,
  input: Input<'importPersons'>,
  effects: ImportEffects,
): Promise<Result> =>
  input.dryRun
    ? rehearse(ctx, async context => withoutNewIds(await runImport(context, input, effects)))
    : runImport(ctx, input, effects)

async function runImport(
  ctx: Context,
  input: Input<'importPersons'>,
  effects: ImportEffects,
): Promise<Result> {
  const { csv, map, rows, ownerRepId } = input
  if (ownerRepId) await requireRep(ctx, ownerRepId)
  const file = csv === undefined ? undefined : await readCsvRows(toByteChunks(csv), { map: map ?? {} })
  const columns: CustomColumns = file ? locateColumns(file, input) : new Map()
  await createMissingFields(ctx, getLabels(file ? { file, columns } : { rows: rows! }), input)
  const importer = await openImporter(ctx, input, effects)
  let chunk: ImportRow[] = []
  for await (const row of file ? readFile(file, columns) : toImportRows(rows!)) {
    if (chunk.push(row) < CHUNK_ROWS) continue
    await importer.add(chunk)
    chunk = []
  }
  if (chunk.length > 0) await importer.add(chunk)
  await audit(ctx, 'import', 'person')
  return { ...importer.result, ...describeColumns(file, columns) }
}

async function* readFile(file: CsvFile, columns: CustomColumns): AsyncGenerator<ImportRow> {
  for await (const row of file.rows) yield toImportRow(row, columns)
}

/** Leaves out the IDs of persons that a dry run did not keep. */
function withoutNewIds(result: Result): Result {
  const created = new Set(
    result.persons.flatMap(({ personId, outcome }) => (outcome === 'created' ? personId! : [])),
  )
  const persons = result.persons.map(({ personId, ...person }) =>
    created.has(personId!) ? person : { ...person, personId },
  )
  return { ...result, persons }
}

async function openImporter(
  ctx: Context,
  { tags = [], ownerRepId }: Input<'importPersons'>,
  effects: ImportEffects,
) {
  const [defaultCountry, ownDomains] = await Promise.all([getDefaultCountry(ctx), findOwnDomains(ctx)])
  const custom = await openCustomParser(ctx, 'person')
  const names = tags.length > 0 ? await effects.ensureTags(ctx, tags) : []
  const seen = new Set<string>()
  const result = {
    ...{ total: 0, created: 0, updated: 0, skipped: 0, invalid: 0 },
    issues: [] as Result['issues'],
    persons: [] as Result['persons'],
  }
  const report = (
    line: number,
    outcome: Outcome,
    { personId, reason }: { personId?: string; reason?: string },
  ) => {
    result.total++
    result[outcome === 'created' || outcome === 'updated' || outcome === 'invalid' ? outcome : 'skipped']++
    if (outcome === 'invalid' || outcome === 'do_not_contact') {
      if (result.issues.length < MAX_ISSUES) result.issues.push({ line, outcome, ...(reason && { reason }) })
    } else if (result.persons.length < MAX_PERSONS)
      result.persons.push({ line, personId: personId!, outcome })
  }

  const parse = (row: ImportRow) => {
    const { facts, faults } = parsePerson(row.element, { defaultCountry, ownDomains })
    const values = custom.parse(row.custom)
    const reason = row.error ?? [...faults, ...values.faults].map(toMessage).join('; ')
    return { line: row.line, facts, values: values.parsed, reason }
  }

  return {
    result,
    add: async (rows: readonly ImportRow[]): Promise<void> => {
      const parsed = rows.map(parse)
      const readable = parsed.filter(({ reason }) => !reason)
      const resolved = await resolvePersons(
        ctx,
        readable.map(({ facts }) => facts),
      )
      const found = new Map(readable.map((row, index) => [row, resolved.persons[index]!]))
      const blockers = await findBlockers(
        ctx,
        readable.map(row => ({ person: found.get(row)!, facts: row.facts.person })),
      )
      const stored = new Set(resolved.persons.flatMap(({ id, isNew }) => (isNew ? [] : [id])))
      const overTagged = await findOverTagged(ctx, [...stored], names)
      const wanted = new Map<IndexedPerson, CustomValues>()
      for (const row of readable) {
        const person = found.get(row)!
        if (!blockers.has(person) && !overTagged.has(person.id))
          wanted.set(person, { ...row.values, ...wanted.get(person) })
      }
      const filled = [...wanted.keys()]
        .filter(({ isNew, isFilled }) => isFilled && !isNew)
        .map(({ id }) => id)
      await pipeline(...resolved.getWrites(wanted.keys()))
      const details = [...wanted].map(([{ id }, values]) => ({ id, custom: values }))
      const changed = await addDetails(ctx, details, { ownerRepId, tags: names })
      const old = new Set([...wanted.keys()].filter(({ isNew }) => !isNew).map(({ id }) => id))
      const updated = new Set([...filled, ...changed].filter(id => old.has(id)))
      if (updated.size > 0) {
        await effects.forbidAppChangedCallees(ctx, { personIds: [...updated] })
        await effects.retryIncompletePersons(ctx, [...updated])
      }
      for (const row of parsed) {
        const person = found.get(row)
        const blocker = person && blockers.get(person)
        if (!person) report(row.line, 'invalid', { reason: row.reason })
        else if (blocker)
          report(row.line, 'do_not_contact', { reason: `${blocker.value} is on the Do Not Contact list` })
        else if (overTagged.has(person.id)) report(row.line, 'invalid', { reason: TOO_MANY_TAGS })
        else {
          const outcome = seen.has(person.id)
            ? 'duplicate'
            : person.isNew
              ? 'created'
              : updated.has(person.id)
                ? 'updated'
                : 'unchanged'
          seen.add(person.id)
          report(row.line, outcome, { personId: person.id })
        }
      }
      await analyzeGrownTables(ctx.sql)
    },
  }
}

const toMessage = ({ path, message }: ErrorDetail): string => (path ? `${path}: ${message}` : message)
