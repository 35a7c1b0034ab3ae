/** More waits for one key than its queue holds. */
export class QueueFull extends Error {
  override name = 'QueueFull'
}

/**
 * Runs work, at most `places` pieces at once, taking turns among the keys that wait. One key never has all the places
 * and at most `waitingPerKey` pieces in line, so however much it brings, others go on.
 */
export class FairQueue {
  readonly #perKey: number
  readonly #waitingPerKey: number
  #free: number
  readonly #running = new Map<string, number>()
  /** In the order of their turns. */
  readonly #waiting = new Map<string, (() => void)[]>()

  constructor({ places, waitingPerKey }: { places: number; waitingPerKey: number }) {
    this.#free = places
    this.#perKey = Math.max(1, places - 1)
    this.#waitingPerKey = waitingPerKey
  }

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const line = this.#waiting.get(key) ?? []
    if (line.length >= this.#waitingPerKey) throw new QueueFull(`More than ${this.#waitingPerKey} wait`)
    const turn = Promise.withResolvers<void>()
    this.#waiting.set(key, line)
    line.push(turn.resolve)
    this.#startNext()
    await turn.promise
    try {
      return await work()
    } finally {
      this.#free += 1
      const others = this.#running.get(key)! - 1
      if (others > 0) this.#running.set(key, others)
      else this.#running.delete(key)
      this.#startNext()
    }
  }

  #startNext(): void {
    for (const [key, line] of this.#waiting) {
      if (this.#free === 0) return
      const running = this.#running.get(key) ?? 0
      if (running >= this.#perKey) continue
      this.#free -= 1
      this.#running.set(key, running + 1)
      this.#waiting.delete(key)
      line.shift()!()
      if (line.length > 0) this.#waiting.set(key, line)
    }
  }
}
