import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { FairQueue, QueueFullError } from '../../kernel/async/fair-queue.ts'
import type { ParserJob, ParserResult } from './parser-worker.ts'

/** Error for emails that can't be parsed right now: the worker thread did not start, or the queue is full. */
export class ParserError extends Error {
  override name = 'ParserError'
}

const MAX_QUEUED_PER_ACCOUNT = 1_000

/** At least two, so that one account's mail never blocks another's. */
const defaultThreadCount = Math.min(4, Math.max(2, availableParallelism()))

/**
 * Worker threads for work that can be slow on hostile mail, shared fairly between accounts. A thread that
 * hangs or runs out of memory is replaced. Threads start on demand and don't keep the process alive.
 */
export class ParserThreads implements AsyncDisposable {
  readonly #queue: FairQueue
  readonly #idle: Worker[] = []
  readonly #inFlight = new Set<Promise<unknown>>()

  constructor(threads = defaultThreadCount) {
    this.#queue = new FairQueue({ concurrency: threads, maxWaitingPerKey: MAX_QUEUED_PER_ACCOUNT })
  }

  /**
   * Runs a job and returns its result; undefined when it fails or times out. Throws ParserError when no thread can run
   * it. The job is created once a thread is free, so that queued emails are in memory only once.
   */
  run<Job extends ParserJob>(
    accountId: string,
    createJob: () => Job,
    timeMs: number,
  ): Promise<ParserResult<Job> | undefined> {
    const result = this.#queue
      .run(accountId, () => this.#runJob(createJob, timeMs))
      .catch(error => {
        if (!(error instanceof QueueFullError)) throw error
        throw new ParserError('Too many emails for one account are waiting to be parsed', { cause: error })
      })
    const settled = result.catch(() => undefined).finally(() => this.#inFlight.delete(settled))
    this.#inFlight.add(settled)
    return result as Promise<ParserResult<Job> | undefined>
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#inFlight)
    await Promise.all(this.#idle.splice(0).map(worker => worker.terminate()))
  }

  async #runJob(createJob: () => ParserJob, timeMs: number): Promise<unknown> {
    // The caller may just have assembled a large email, and `createJob` copies it. Both are slow, so they don't share a
    // turn of the event loop.
    await nextTurn()
    const worker = this.#idle.pop() ?? (await this.#start())
    worker.ref()
    const job = createJob()
    const bytes = 'raw' in job ? job.raw : 'file' in job ? job.file : 'dmarc' in job ? job.dmarc : undefined
    worker.postMessage(job, bytes ? [bytes.buffer as ArrayBuffer] : [])
    const result = await waitForMessage(worker, timeMs)
    if (result === undefined) await worker.terminate()
    else {
      worker.unref()
      this.#idle.push(worker)
    }
    return result
  }

  async #start(): Promise<Worker> {
    const worker = new Worker(new URL('./parser-worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
    })
    await once(worker, 'message').catch(cause => {
      throw new ParserError('The mail parser thread did not start', { cause })
    })
    // The thread ran out of memory or has a bug. The event 'exit' follows, and the next job gets a new thread.
    worker.on('error', () => undefined)
    worker.once('exit', () => {
      const at = this.#idle.indexOf(worker)
      if (at !== -1) this.#idle.splice(at, 1)
    })
    return worker
  }
}

/** Returns the worker's next message; undefined when it exits or times out. */
function waitForMessage(worker: Worker, timeMs: number): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>()
  const fail = () => resolve(undefined)
  // If the event loop was blocked, a message that has already arrived takes precedence over the timeout.
  const timer = setTimeout(() => setImmediate(fail), timeMs)
  worker.once('message', resolve).once('exit', fail)
  return promise.finally(() => {
    clearTimeout(timer)
    worker.off('message', resolve).off('exit', fail)
  })
}

let shared: ParserThreads | undefined

/** Returns the threads of this process. */
export function getParserThreads(): ParserThreads {
  shared ??= new ParserThreads()
  return shared
}
