import type { Fragment, Sql } from '../../kernel/db/database.ts'

/** A filter for steps: all steps of a campaign, or the steps of these persons in all campaigns. */
export type StepFilter = { campaignId: string } | { personIds: readonly string[] }

/** Returns the condition that a row `r` of a campaign and a person matches the filter. */
export const matchesFilter = (sql: Sql, r: Fragment, filter: StepFilter): Fragment =>
  'campaignId' in filter
    ? sql`${r}.campaign_id = ${filter.campaignId}`
    : sql`${r}.person_id = any(${[...filter.personIds]}::uuid[])`
