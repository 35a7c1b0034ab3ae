import { AsyncLocalStorage } from 'node:async_hooks'
import type { Database, Pool } from '../../src/server/db.ts'

const transaction = new AsyncLocalStorage<string>()

/**
 * The same pools, except that code in a transaction gets an error when it asks any pool for another connection. Such
 * requests could hold every connection and wait for each other, which PostgreSQL can't detect. `check` throws the first
 * of these errors again, in case something caught it.
 */
export function forbidSecondConnections(db: Database): { db: Database; check: () => void } {
  const errors: Error[] = []
  const checkPool = (name: string): void => {
    const held = transaction.getStore()
    if (held === undefined) return
    const error = new Error(`A transaction of db.${held} asks db.${name} for a second connection.`)
    errors.push(error)
    throw error
  }
  const guard = (name: string, pool: Pool): Pool => {
    type Begin = (...given: unknown[]) => Promise<unknown>
    const begin: Begin = (...given) => {
      checkPool(name)
      const inTransaction = given.map(one =>
        typeof one === 'function' ? (tx: unknown) => transaction.run(name, () => one(tx)) : one,
      )
      return (pool.begin as Begin)(...inTransaction)
    }
    const unsafe = (...given: Parameters<Pool['unsafe']>) => {
      checkPool(name)
      return pool.unsafe(...given)
    }
    return new Proxy(pool, {
      apply: (target, _this, given: unknown[]) => {
        if (Array.isArray(given[0]) && 'raw' in given[0]) checkPool(name)
        return Reflect.apply(target as never, undefined, given)
      },
      get: (target, key) => (key === 'begin' ? begin : key === 'unsafe' ? unsafe : Reflect.get(target, key)),
    })
  }
  const guarded = Object.entries(db).map(([name, pool]) => [name, guard(name, pool as Pool)])
  return {
    db: { ...Object.fromEntries(guarded), [Symbol.asyncDispose]: db[Symbol.asyncDispose] },
    check: () => {
      if (errors[0]) throw errors[0]
    },
  }
}
