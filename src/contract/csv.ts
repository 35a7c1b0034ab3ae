import { z } from 'zod'

/** Limits of operations that take a CSV file: its size as JSON text, and the time to read it. */
export const csvLimits = { bodyLimitBytes: 5 * 1024 * 1024, timeoutMs: 120_000 }

export const csv = z
  .string()
  .min(1)
  .max(4 * 1024 * 1024)
  .describe('Contents of the file')

/** Returns the input field that maps headers to `columns`. */
export const csvMap = <const C extends readonly string[]>(columns: C) =>
  z
    .record(z.string().max(200), z.enum(columns).nullable())
    .optional()
    .describe('Header → column, for headers that are not recognized; null ignores a column')

/** Returns the result fields of a CSV import. */
export const csvImportResult = <const C extends readonly string[]>(columns: C) => ({
  total: z.int().describe('Rows read'),
  invalid: z.int().describe('Invalid rows, which were skipped'),
  columns: z.record(z.string(), z.enum(columns)).describe('Header → column, as recognized'),
  ignoredColumns: z.array(z.string()),
  issues: z.array(z.object({ line: z.int(), reason: z.string() })).describe('The first 1,000 invalid rows'),
})
