import type { Session } from './session.ts'
import { createSql, type RunStatement, type Sql } from './sql.ts'

export type Work<T> = (tx: Sql) => PromiseLike<T> | T

/**
 * Runs the work in one transaction of the session, which nobody else may use meanwhile; see `Pool.begin`. `run` sends the
 * statements of the work. With `pipelinesBegin` the first of them goes along with `begin`.
 */
export async function runTransaction<T>(
  session: Session,
  { run, mode, pipelinesBegin }: { run: RunStatement; mode: string; pipelinesBegin: boolean },
  work: Work<T>,
): Promise<T> {
  let isOver = false
  let refusal: unknown
  const fail = (fault: unknown): void => {
    refusal ??= fault
  }
  const tx = createSql((text, parameters) => {
    if (isOver) return Promise.reject(refusal ?? new Error('The transaction is over.'))
    const answer = run(text, parameters)
    // PostgreSQL refuses whatever comes after, so the work cannot go on even where it caught the fault.
    answer.catch(fail)
    return answer
  })
  const begun = session.run(`begin ${mode}`, undefined)
  begun.catch(fault => {
    isOver = true
    fail(fault)
  })
  const { promise: lost, reject: lose } = Promise.withResolvers<never>()
  lost.catch(() => {})
  const forget = session.onLoss(lose)
  try {
    if (!pipelinesBegin) await begun
    const [result] = await Promise.race([lost, Promise.all([call(work, tx), begun])])
    if (refusal) throw refusal
    isOver = true
    await session.run('commit', undefined)
    return result
  } catch (fault) {
    isOver = true
    fail(fault)
    // The work may have failed before there was an answer to `begin`.
    const isOpen = await begun.then(
      () => true,
      () => false,
    )
    if (isOpen && !session.fault) await session.run('rollback', undefined).catch(() => session.end())
    throw (fault as { code?: string } | undefined)?.code === '25P02' ? refusal : fault
  } finally {
    forget()
  }
}

/** The work may throw before it returns a promise. */
const call = async <T>(work: Work<T>, tx: Sql): Promise<T> => work(tx)
