import { z } from 'zod'

/** A uuid as the server makes them (version 7); any RFC 9562 spelling is read, and compared in small letters. */
export const id = z.guid({ abort: true }).toLowerCase()

/** RFC 3339 in UTC with milliseconds, as in 2026-11-21T09:30:00.000Z. */
export const time = z.iso.datetime({ precision: 3 })

/** Dates that the database can hold, in every time zone. Text that is no date has its fault already. */
const isHeld = (at: string): boolean => {
  const year = new Date(at).getUTCFullYear()
  return Number.isNaN(year) || (year >= 1900 && year <= 9998)
}
const notHeld = 'lies before 1900 or after 9998'

/** RFC 3339, in any zone. */
export const timeInput = z.iso.datetime({ offset: true }).refine(isHeld, notHeld)

/** A day, as in 2026-11-21. */
export const dayInput = z.iso.date('is no date; give one such as 2026-12-24').refine(isHeld, notHeld)

/** What every object carries. */
export const base = <T extends string>(objectType: T) => ({
  id: id.describe('Unique identifier'),
  objectType: z.literal(objectType),
  createdAt: time.describe('When it was made'),
  updatedAt: time.describe('When it last changed'),
})

/** What every list takes. */
export const pageInput = {
  limit: z.int().min(1).max(100).optional().meta({ default: 10, description: 'How many items a page holds' }),
  cursor: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .describe('`next` or `previous` of an earlier answer; carries its filters'),
}

export const pageOf = <T extends z.ZodType>(item: T, name: string) =>
  z
    .object({
      data: z.array(item).describe('The items of this page, newest first'),
      hasMore: z.boolean().describe('Whether more items follow this page'),
      next: z.string().optional().describe('Cursor of the next page; absent on the last'),
      previous: z.string().optional().describe('Cursor of the preceding page; absent on the first'),
    })
    .meta({ id: `${name}Page` })

/** A flag in a query: present and `true`, or absent. */
export const flag = z.literal(true).optional()

const trimmed = (maxLength: number) => z.string().trim().max(maxLength)

/** Control characters, line breaks among them, would end a header of a mail early, or add one to it. */
export const refuseControls = (schema: z.ZodString) =>
  schema.refine(text => !/\p{Cc}/u.test(text), 'must not contain line breaks or control characters')

const oneLine = (maxLength: number) => refuseControls(trimmed(maxLength))

/** One line of text, trimmed. An empty one counts as absent, so a required one says so. */
export const text = (maxLength: number) => oneLine(maxLength).min(1)

/** One line that may be left out: an empty one counts as absent. */
export const optionalText = (maxLength: number) =>
  oneLine(maxLength)
    .optional()
    .transform(value => value || undefined)

/** A change to one line: absent or empty leaves it, null clears it. */
export const changedText = (maxLength: number) =>
  oneLine(maxLength)
    .nullish()
    .transform(value => (value === '' ? undefined : value))

/** Text of several lines; never part of a header. */
export const lines = (maxLength: number) => trimmed(maxLength).min(1)

/** The same as `optionalText`, for several lines. */
export const optionalLines = (maxLength: number) =>
  trimmed(maxLength)
    .optional()
    .transform(value => value || undefined)

/** The same as `changedText`, for several lines. */
export const changedLines = (maxLength: number) =>
  trimmed(maxLength)
    .nullish()
    .transform(value => (value === '' ? undefined : value))

/** An answer that has nothing to say but that it worked. */
export const done = z.object({ ok: z.literal(true) })
