import type { Data } from './data.ts'

/**
 * Changes to existing rows by each migration, by its file name: each function turns the data of before the migration into
 * the data expected after it. A migration that only adds has no entry.
 *
 *     '0002_merge_notes.sql': data => {
 *       for (const row of Object.values(data.tasks!)) delete row.text
 *     },
 */
export const changes: Record<string, (data: Data) => void> = {}
