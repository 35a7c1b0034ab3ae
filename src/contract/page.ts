import { z } from 'zod'

/** UUID. The server generates version 7; any RFC 9562 form is accepted and lower-cased. */
export const id = z.guid({ abort: true }).toLowerCase()

/** RFC 3339 in UTC with milliseconds, such as 2026-11-21T09:30:00.000Z. */
export const time = z.iso.datetime({ precision: 3 })

/** Reports whether PostgreSQL can hold the date in every time zone; true for text that another check rejects. */
const isStorable = (at: string): boolean => {
  const year = new Date(at).getUTCFullYear()
  return Number.isNaN(year) || (year >= 1900 && year <= 9998)
}
const notStorable = 'must be between the years 1900 and 9998'

/** RFC 3339 with any UTC offset. */
export const timeInput = z.iso
  .datetime({
    offset: true,
    error: 'must be a time with its UTC offset, such as 2026-12-24T09:00:00+01:00 or 2026-12-24T08:00:00Z',
  })
  .refine(isStorable, notStorable)

/** A calendar date, such as 2026-11-21. */
export const dayInput = z.iso.date('must be a valid date, such as 2026-12-24').refine(isStorable, notStorable)

/** Fields of every object. */
export const base = <T extends string>(objectType: T) => ({
  id: id.describe('Unique identifier'),
  objectType: z.literal(objectType),
  createdAt: time.describe('Creation time'),
  updatedAt: time.describe('Time of the last change'),
})

/** Parameters of every list. */
export const pageInput = {
  limit: z.int().min(1).max(100).optional().meta({ default: 10, description: 'Number of items per page' }),
  cursor: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .describe('`next` or `previous` of an earlier response; includes its filters'),
}

/** List filter for callers that keep a copy of the data. */
export const changeFilter = {
  updatedSince: timeInput
    .optional()
    .describe(
      'Only items changed at or after this time, oldest change first; excludes all other filters. To keep a copy up to date, start again with the last `updatedAt` minus five minutes, because changes appear when their transaction ends',
    ),
}

/** Rejects `updatedSince` together with other filters. */
export const withChangeFilter = <S extends z.ZodRawShape>(input: z.ZodObject<S, z.core.$strict>) =>
  input.refine(
    filters =>
      (filters as { updatedSince?: string }).updatedSince === undefined ||
      Object.entries(filters).every(
        ([name, value]) => ['updatedSince', 'limit', 'cursor'].includes(name) || value === undefined,
      ),
    { path: ['updatedSince'], message: 'must not be combined with other filters' },
  )

export const pageSchema = <T extends z.ZodType>(item: T, name: string) =>
  z
    .object({
      data: z.array(item).describe('Items of this page, newest first'),
      hasMore: z.boolean().describe('Whether there are more items after this page'),
      next: z.string().optional().describe('Cursor of the next page; absent on the last'),
      previous: z.string().optional().describe('Cursor of the previous page; absent on the first'),
    })
    .meta({ id: `${name}Page` })

/** A query flag: `true` or absent. */
export const flag = z.literal(true).optional()

const trimmed = (maxLength: number) => z.string().trim().max(maxLength)

/** Rejects control characters: a line break could end a mail header early or add one. */
export const rejectControlCharacters = (schema: z.ZodString) =>
  schema.refine(text => !/\p{Cc}/u.test(text), 'must not contain line breaks or control characters')

const oneLine = (maxLength: number) => rejectControlCharacters(trimmed(maxLength))

/** Returns a schema for a required single line, trimmed. */
export const text = (maxLength: number) => oneLine(maxLength).min(1)

/** Returns a schema for an optional single line; an empty one becomes undefined. */
export const optionalText = (maxLength: number) =>
  oneLine(maxLength)
    .optional()
    .transform(value => value || undefined)

/** Returns a schema for an update of a single line: absent or empty keeps the value, null clears it. */
export const patchText = (maxLength: number) =>
  oneLine(maxLength)
    .nullish()
    .transform(value => (value === '' ? undefined : value))

/** Words to search for. */
export const searchQuery = oneLine(100)
  .regex(/[\p{L}\p{N}]/u, 'must contain a letter or digit')
  .refine(
    query => query.split(/[^\p{L}\p{N}]+/u).filter(Boolean).length <= 8,
    'must not have more than 8 words',
  )

/** Returns a schema for multi-line text, which is never part of a mail header. */
export const lines = (maxLength: number) => trimmed(maxLength).min(1)

/** Returns the schema of `optionalText` for multi-line text. */
export const optionalMultiline = (maxLength: number) =>
  trimmed(maxLength)
    .optional()
    .transform(value => value || undefined)

/** Returns the schema of `patchText` for multi-line text. */
export const patchMultiline = (maxLength: number) =>
  trimmed(maxLength)
    .nullish()
    .transform(value => (value === '' ? undefined : value))

/** Response field of operations that stop sending. */
export const inFlight = z
  .int()
  .min(0)
  .describe(
    'Messages and calls that could not be recalled. The response waits up to 5 seconds for their results',
  )

/** Arguments of `refine` for inputs that are about either a prospect or a person. */
export const onePersonOrProspect = [
  ({ prospectId, personId }: { prospectId?: string | undefined; personId?: string | undefined }) =>
    (prospectId === undefined) !== (personId === undefined),
  { message: 'exactly one of `prospectId` and `personId` is required' },
] as const

/** Response of operations that return no data. */
export const done = z.object({ ok: z.literal(true) })
