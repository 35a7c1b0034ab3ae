import type { Session } from './session.ts'
import { createSql, type RunStatement, type Sql } from './sql.ts'

export type Work<T> = (tx: Sql) => PromiseLike<T> | T

/**
 * Runs the work in a transaction of a reserved session; see `Pool.begin`. `run` sends the work's statements. With
 * `pipelinesBegin`, the first statement is sent along with `begin`.
 */
export async function runTransaction<T>(
  session: Session,
  { run, mode, pipelinesBegin }: { run: RunStatement; mode: string; pipelinesBegin: boolean },
  work: Work<T>,
): Promise<T> {
  let isFinished = false
  let firstError: unknown
  const fail = (error: unknown): void => {
    firstError ??= error
  }
  const tx = createSql((text, parameters) => {
    if (isFinished) return Promise.reject(firstError ?? new Error('The transaction has ended.'))
    const result = run(text, parameters)
    // PostgreSQL rejects all later statements, so the transaction fails even if the work catches the error.
    result.catch(fail)
    return result
  })
  const beginning = session.run(`begin ${mode}`, undefined)
  beginning.catch(error => {
    isFinished = true
    fail(error)
  })
  const { promise: loss, reject: lose } = Promise.withResolvers<never>()
  loss.catch(() => {})
  const removeListener = session.onLoss(lose)
  try {
    if (!pipelinesBegin) await beginning
    const [result] = await Promise.race([loss, Promise.all([invoke(work, tx), beginning])])
    if (firstError) throw firstError
    isFinished = true
    await session.run('commit', undefined)
    return result
  } catch (error) {
    isFinished = true
    fail(error)
    // The work may have failed before `begin` completed.
    const isOpen = await beginning.then(
      () => true,
      () => false,
    )
    if (isOpen && !session.error) await session.run('rollback', undefined).catch(() => session.end())
    throw (error as { code?: string } | undefined)?.code === '25P02' ? firstError : error
  } finally {
    removeListener()
  }
}

/** Turns a synchronous throw into a rejection. */
const invoke = async <T>(work: Work<T>, tx: Sql): Promise<T> => work(tx)
