import type { Context } from '../../../kernel/context.ts'
import { currentAccount, type Fragment, pipeline } from '../../../kernel/db/database.ts'
import type { ErrorDetail } from '../../../kernel/errors.ts'
import { type CustomValues, openCustomParser } from '../custom-fields/custom-values.ts'
import type { ImportElement } from './import-rows.ts'
import { type ParsedPerson, parsePerson } from './parse-person.ts'
import type { IndexedPerson } from './person-index.ts'
import { addPersonTags, findOverTagged, MAX_TAGS } from './person-tags.ts'
import type { resolvePersons } from './resolve-persons.ts'

/** Tags and the owner that an import gives to all its persons. */
export type CommonDetails = { tags?: string[] | undefined; ownerRepId?: string | undefined }

/**
 * A function that creates missing tags and returns the names in the account's spelling. A higher-level module
 * implements it.
 */
export type EnsureTags = (ctx: Context, names: string[]) => Promise<string[]>

/** Values of custom fields, tags and the owner of a person. */
export type PersonDetails = {
  parse: (values: CustomValues) => { parsed: CustomValues; errors: ErrorDetail[] }
  /** Names of tags, spelled as in `tags`. */
  tags: readonly string[]
  ownerRepId: string | null
}

export const noDetails: PersonDetails = {
  parse: () => ({ parsed: {}, errors: [] }),
  tags: [],
  ownerRepId: null,
}

/** Opens details with values of custom fields only. Locks the account's custom fields until the transaction ends. */
export const openCustomDetails = async (ctx: Context): Promise<PersonDetails> => ({
  ...noDetails,
  parse: (await openCustomParser(ctx, 'person')).parse,
})

/** Opens details with values of custom fields, tags and an owner. Creates missing tags. */
export async function openDetails(
  ctx: Context,
  { tags = [], ownerRepId }: CommonDetails,
  ensureTags: EnsureTags,
): Promise<PersonDetails> {
  return {
    ...(await openCustomDetails(ctx)),
    tags: tags.length > 0 ? await ensureTags(ctx, tags) : [],
    ownerRepId: ownerRepId ?? null,
  }
}

/** Parses an element with its custom values; the errors have paths relative to the element. */
export function parseElement(
  { custom = {}, ...element }: ImportElement,
  settings: Parameters<typeof parsePerson>[1],
  { parse }: Pick<PersonDetails, 'parse'>,
): ParsedPerson & { custom: CustomValues } {
  const { facts, errors } = parsePerson(element, settings)
  const values = parse(custom)
  return { facts, custom: values.parsed, errors: [...errors, ...values.errors] }
}

/** Formats all errors of an element as one string. */
export const formatErrors = (errors: readonly ErrorDetail[]): string =>
  errors.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; ')

/** Returns the error for each stored person who can't have the tags; locks all stored persons. */
export async function findTagErrors(
  ctx: Context,
  persons: Iterable<IndexedPerson>,
  { tags }: Pick<PersonDetails, 'tags'>,
): Promise<Map<IndexedPerson, string>> {
  const stored = [...new Set(persons)].filter(({ isNew }) => !isNew)
  const overTagged = await findOverTagged(
    ctx,
    stored.map(({ id }) => id),
    tags,
  )
  return new Map(stored.filter(({ id }) => overTagged.has(id)).map(person => [person, TOO_MANY_TAGS]))
}

const TOO_MANY_TAGS = `tags: the person would have more than ${MAX_TAGS} tags; remove some first`

/**
 * Writes the wanted persons, fills in details that they lack, and runs `dependentWrites`, which write rows that refer
 * to them. If several elements identify the same person, the values of the first take precedence. Returns the IDs of
 * the stored persons that changed.
 */
export async function writePersons(
  ctx: Context,
  { getWrites }: Pick<Awaited<ReturnType<typeof resolvePersons>>, 'getWrites'>,
  wanted: readonly { person: IndexedPerson; custom: CustomValues }[],
  { tags, ownerRepId }: PersonDetails,
  ...dependentWrites: Fragment[]
): Promise<{ changed: string[]; filled: string[] }> {
  const values = new Map<IndexedPerson, CustomValues>()
  for (const { person, custom } of wanted) values.set(person, { ...custom, ...values.get(person) })
  const stored = [...values.keys()].filter(({ isNew }) => !isNew)
  const filled = stored.filter(({ isFilled }) => isFilled).map(({ id }) => id)
  await pipeline(...getWrites(values.keys()), ...dependentWrites)
  const persons = [...values].map(([{ id }, custom]) => ({ id, custom }))
  const detailed = await addDetails(ctx, persons, ownerRepId)
  const tagged = await addPersonTags(
    ctx,
    persons.map(({ id }) => id),
    tags,
  )
  const changed = new Set([...filled, ...detailed, ...tagged])
  return { changed: stored.map(({ id }) => id).filter(id => changed.has(id)), filled }
}

/** Fills in missing custom values and owners; returns the IDs of the persons that changed. */
async function addDetails(
  { sql }: Context,
  persons: readonly { id: string; custom: CustomValues }[],
  ownerRepId: string | null,
): Promise<string[]> {
  const detailed = persons.filter(({ custom }) => ownerRepId || Object.keys(custom).length > 0)
  if (detailed.length === 0) return []
  const changed = await sql<{ id: string }[]>`
    update persons p
       set custom = jsonb_strip_nulls(f.custom) || p.custom, owner_rep_id = coalesce(p.owner_rep_id, ${ownerRepId}::uuid),
           updated_at = now()
      from jsonb_to_recordset(${sql.json(detailed)}) as f(id uuid, custom jsonb)
     where p.account_id = ${currentAccount(sql)} and p.id = f.id
       and (not p.custom ?& array(select jsonb_object_keys(jsonb_strip_nulls(f.custom)))
            or p.owner_rep_id is null and ${ownerRepId}::uuid is not null)
    returning p.id`
  return changed.map(({ id }) => id)
}
