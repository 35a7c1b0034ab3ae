import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { withTimeout } from '../async/with-timeout.ts'
import { toDatabaseError } from './database.ts'

type Request<Item, Result> = {
  item: Item
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}
type Queue<Item, Result> = { waiting: Request<Item, Result>[]; runningBatches: number }

const MAX_BATCH = 100
/** All work in a batch is bounded and ends far sooner. If a bug makes a batch hang, the next one starts anyway. */
const BATCH_TIMEOUT_MS = 120_000

/**
 * A queue that handles the items of an account in batches, because a transaction costs far more than an additional
 * item. Items that arrive while a batch of their account runs form the account's next batch.
 */
export class Batcher<Item extends { claim: { accountId: string } }, Result> {
  readonly #handle: (items: [Item, ...Item[]]) => Promise<Result[]>
  readonly #lingerMs: number
  readonly #concurrency: number
  readonly #queues = new Map<string, Queue<Item, Result>>()

  /**
   * `handle` gets items of one account and returns their results in the same order. After a batch, the next one waits
   * `lingerMs` for more items. An account runs up to `concurrency` batches at a time; while one runs, another starts
   * only if more than a full batch is waiting.
   */
  constructor(
    handle: (items: [Item, ...Item[]]) => Promise<Result[]>,
    { lingerMs = 0, concurrency = 1 } = {},
  ) {
    this.#handle = handle
    this.#lingerMs = lingerMs
    this.#concurrency = concurrency
  }

  run(item: Item): Promise<Result> {
    const { accountId } = item.claim
    const queue = this.#queues.get(accountId) ?? { waiting: [], runningBatches: 0 }
    this.#queues.set(accountId, queue)
    return new Promise((resolve, reject) => {
      queue.waiting.push({ item, resolve, reject })
      const { waiting, runningBatches } = queue
      const needsBatch = runningBatches === 0 || waiting.length > MAX_BATCH * runningBatches
      if (needsBatch && runningBatches < this.#concurrency) void this.#runBatches(accountId, queue)
    })
  }

  async #runBatches(accountId: string, queue: Queue<Item, Result>): Promise<void> {
    queue.runningBatches++
    while (queue.waiting.length > 0) {
      // Items added in the same turn of the event loop share the batch.
      await nextTurn()
      const batch = queue.waiting.splice(0, MAX_BATCH)
      if (batch.length > 0) await withTimeout(this.#runBatch(batch), BATCH_TIMEOUT_MS)
      if (this.#lingerMs > 0 && queue.waiting.length < MAX_BATCH) await sleep(this.#lingerMs)
    }
    if (--queue.runningBatches === 0) this.#queues.delete(accountId)
  }

  /** Retries the items of a failed batch one by one, so that only the bad one fails; a database error fails all. */
  async #runBatch(batch: Request<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#handle(batch.map(({ item }) => item) as [Item, ...Item[]])
      for (const [index, { resolve }] of batch.entries()) resolve(results[index]!)
    } catch (error) {
      if (batch.length === 1 || toDatabaseError(error)) for (const { reject } of batch) reject(error)
      else await Promise.all(batch.map(request => this.#runBatch([request])))
    }
  }
}
