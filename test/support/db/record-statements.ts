import type { Pool, Sql } from '../../../src/server/kernel/db/database.ts'
import { createSql } from '../../../src/server/kernel/db/sql.ts'

export type SentStatement = { text: string; parameters: unknown[] }

/** The same pool; tells of each statement before it is sent. */
export function recordStatements(pool: Pool, onStatement: (statement: SentStatement) => void): Pool {
  const record = (sql: Sql): Sql =>
    createSql((text, parameters) => {
      onStatement({ text, parameters: parameters ?? [] })
      return sql.send(text, parameters)
    })
  return Object.assign(record(pool), {
    begin: ((work, mode) => pool.begin(tx => work(record(tx)), mode)) as Pool['begin'],
    listen: pool.listen,
    end: pool.end,
  })
}
