import type { Data } from './data.ts'

/**
 * Changes to existing rows, by the file name of the migration that makes them. Each function turns the data before the
 * migration into the data expected after it. A migration that only adds tables or columns has no entry.
 *
 *     '0002_merge_notes.sql': data => {
 *       for (const row of Object.values(data.tasks!)) delete row.text
 *     },
 */
export const changes: Record<string, (data: Data) => void> = {}
