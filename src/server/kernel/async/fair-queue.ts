/** Error thrown when a key already has the maximum number of waiting jobs. */
export class QueueFullError extends Error {
  override name = 'QueueFullError'
}

/**
 * A queue that runs at most `concurrency` jobs at a time, round-robin over the waiting keys. A key never occupies every
 * slot and has at most `maxWaitingPerKey` jobs waiting, so a flood under one key does not block the others.
 */
export class FairQueue {
  readonly #maxRunningPerKey: number
  readonly #maxWaitingPerKey: number
  #freeSlots: number
  readonly #running = new Map<string, number>()
  /** Keys in the order in which they run next. */
  readonly #waiting = new Map<string, (() => void)[]>()

  constructor({ concurrency, maxWaitingPerKey }: { concurrency: number; maxWaitingPerKey: number }) {
    this.#freeSlots = concurrency
    this.#maxRunningPerKey = Math.max(1, concurrency - 1)
    this.#maxWaitingPerKey = maxWaitingPerKey
  }

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const waiting = this.#waiting.get(key) ?? []
    if (waiting.length >= this.#maxWaitingPerKey)
      throw new QueueFullError(`${this.#maxWaitingPerKey} jobs are already waiting for ${key}`)
    const slot = Promise.withResolvers<void>()
    this.#waiting.set(key, waiting)
    waiting.push(slot.resolve)
    this.#startNext()
    await slot.promise
    try {
      return await work()
    } finally {
      this.#freeSlots += 1
      const others = this.#running.get(key)! - 1
      if (others > 0) this.#running.set(key, others)
      else this.#running.delete(key)
      this.#startNext()
    }
  }

  #startNext(): void {
    for (const [key, waiting] of this.#waiting) {
      if (this.#freeSlots === 0) return
      const running = this.#running.get(key) ?? 0
      if (running >= this.#maxRunningPerKey) continue
      this.#freeSlots -= 1
      this.#running.set(key, running + 1)
      this.#waiting.delete(key)
      waiting.shift()!()
      if (waiting.length > 0) this.#waiting.set(key, waiting)
    }
  }
}
