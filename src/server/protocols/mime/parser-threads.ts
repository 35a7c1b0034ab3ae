import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { FairQueue, QueueFullError } from '../../kernel/async/fair-queue.ts'
import type { ParserJob, ParserResult } from './parser-worker.ts'

/** No mail can be read just now: the thread that reads them does not start, or too many wait for it. */
export class ParserError extends Error {
  override name = 'ParserError'
}

const WAITING_PER_ACCOUNT = 1_000

/** Two at least, so that one account's mail never holds up another's. */
export const defaultThreadCount = Math.min(4, Math.max(2, availableParallelism()))

/**
 * Threads for work that may take long on hostile mail, in turns among the accounts it is for. A thread that hangs or
 * eats its memory is replaced. They start when they are needed and keep no process alive.
 */
export class ParserThreads implements AsyncDisposable {
  readonly #queue: FairQueue
  readonly #idle: Worker[] = []
  readonly #underWay = new Set<Promise<unknown>>()

  constructor(threads = defaultThreadCount) {
    this.#queue = new FairQueue({ concurrency: threads, maxWaitingPerKey: WAITING_PER_ACCOUNT })
  }

  /**
   * The answer; undefined when there was none in time. Throws ParserError when no thread can be asked. The order is
   * made once a thread is free, so that mails that wait are in memory once.
   */
  run<O extends ParserJob>(
    accountId: string,
    makeOrder: () => O,
    timeMs: number,
  ): Promise<ParserResult<O> | undefined> {
    const answer = this.#queue
      .run(accountId, () => this.#ask(makeOrder, timeMs))
      .catch(fault => {
        if (!(fault instanceof QueueFullError)) throw fault
        throw new ParserError('Too many mails of one account wait to be read', { cause: fault })
      })
    const ended = answer.catch(() => undefined).finally(() => this.#underWay.delete(ended))
    this.#underWay.add(ended)
    return answer as Promise<ParserResult<O> | undefined>
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#underWay)
    await Promise.all(this.#idle.splice(0).map(worker => worker.terminate()))
  }

  async #ask(makeOrder: () => ParserJob, timeMs: number): Promise<unknown> {
    // Putting a large mail together and copying it both take long: each has a turn of its own.
    await nextTurn()
    const worker = this.#idle.pop() ?? (await this.#start())
    worker.ref()
    const order = makeOrder()
    worker.postMessage(order, 'raw' in order ? [order.raw.buffer as ArrayBuffer] : [])
    const answer = await answerOf(worker, timeMs)
    if (answer === undefined) await worker.terminate()
    else {
      worker.unref()
      this.#idle.push(worker)
    }
    return answer
  }

  async #start(): Promise<Worker> {
    const worker = new Worker(new URL('./parser-worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
    })
    await once(worker, 'message').catch(cause => {
      throw new ParserError('The thread that reads mails does not start', { cause })
    })
    // Out of memory, or a fault that is our own: its exit follows, and the next mail gets a new one.
    worker.on('error', () => undefined)
    worker.once('exit', () => {
      const at = this.#idle.indexOf(worker)
      if (at !== -1) this.#idle.splice(at, 1)
    })
    return worker
  }
}

/** Its next message; nothing when it dies or takes longer. */
function answerOf(worker: Worker, timeMs: number): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>()
  const fail = () => resolve(undefined)
  // An answer that came while the process stood still is heard first.
  const timer = setTimeout(() => setImmediate(fail), timeMs)
  worker.once('message', resolve).once('exit', fail)
  return promise.finally(() => {
    clearTimeout(timer)
    worker.off('message', resolve).off('exit', fail)
  })
}

let shared: ParserThreads | undefined

/** Those of this process. */
export function getParserThreads(): ParserThreads {
  shared ??= new ParserThreads()
  return shared
}
