import { z } from 'zod'

/** Of an operation that takes a file: the text, as JSON writes it, and the time to read it. */
export const csvLimits = { bodyLimitBytes: 5 * 1024 * 1024, timeoutMs: 120_000 }

export const csv = z
  .string()
  .min(1)
  .max(4 * 1024 * 1024)
  .describe('The file, as text')

/** Where the headers say nothing: header → one of these. */
export const csvMap = <const C extends readonly string[]>(columns: C) =>
  z
    .record(z.string().max(200), z.enum(columns).nullable())
    .optional()
    .describe('Header → what the column holds, for headers that are not recognised; null leaves one out')

/** How the file was read. */
export const csvReading = <const C extends readonly string[]>(columns: C) => ({
  total: z.int().describe('Rows read'),
  invalid: z.int().describe('Rows at fault, left out'),
  columns: z.record(z.string(), z.enum(columns)).describe('Header → what it holds, as read'),
  ignoredColumns: z.array(z.string()),
  issues: z
    .array(z.object({ line: z.int(), reason: z.string() }))
    .describe('The first 1,000 rows that were left out'),
})
