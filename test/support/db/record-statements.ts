import type { Pool, Sql } from '../../../src/server/kernel/db/database.ts'
import { createSql } from '../../../src/server/kernel/db/sql.ts'

export type SentStatement = { text: string; parameters: unknown[] }

/** Wraps the pool so that `onStatement` is called before each statement is sent. */
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
