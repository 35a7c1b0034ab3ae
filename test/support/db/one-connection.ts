import { AsyncLocalStorage } from 'node:async_hooks'
import type { Database, Pool } from '../../../src/server/kernel/db/database.ts'

const transaction = new AsyncLocalStorage<string>()

/**
 * Wraps the pools so that code in a transaction gets an error when it requests another connection from any pool. Such
 * transactions could hold every connection and wait for each other, a deadlock that PostgreSQL can't detect. `check`
 * rethrows the first of these errors, in case something caught it.
 */
export function forbidSecondConnections(db: Database): { db: Database; check: () => void } {
  const errors: Error[] = []
  const checkPool = (name: string): void => {
    const held = transaction.getStore()
    if (held === undefined) return
    const error = new Error(`A transaction of db.${held} requests a second connection from db.${name}.`)
    errors.push(error)
    throw error
  }
  const guard = (name: string, pool: Pool): Pool => {
    const begin: Pool['begin'] = (work, mode) => {
      checkPool(name)
      return pool.begin(tx => transaction.run(name, () => work(tx)), mode)
    }
    const send: Pool['send'] = (...given) => {
      checkPool(name)
      return pool.send(...given)
    }
    return new Proxy(pool, {
      apply: (target, _this, given: unknown[]) => {
        checkPool(name)
        return Reflect.apply(target as never, undefined, given)
      },
      get: (target, key) => (key === 'begin' ? begin : key === 'send' ? send : Reflect.get(target, key)),
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
