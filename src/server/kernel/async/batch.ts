import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import type { App } from '../context.ts'
import { toDatabaseError } from '../db/database.ts'
import { type Failpoint, failpoint } from '../failpoints.ts'
import { waitAtMost } from './with-timeout.ts'

type Asked<Item, Result> = { item: Item; resolve: (result: Result) => void; reject: (fault: unknown) => void }

const MAX_BATCH = 100
/** Each ends far sooner, as everything in it is bounded; what a fault of ours lets hang stands in nobody's way. */
const LONGEST_BATCH_MS = 120_000

/**
 * Work of many mails that costs little more than that of one, because a transaction is what costs. What is asked for
 * while a batch of the account is under way makes up the account's next one; nobody waits for company, unless told so.
 */
export class Batches<Item extends { app: App; claim: { accountId: string } }, Result> {
  readonly #work: (items: [Item, ...Item[]]) => Promise<Result[]>
  readonly #gatherMs: number
  readonly #atOnce: number
  readonly #waiting = new Map<string, { asked: Asked<Item, Result>[]; running: number }>()

  /**
   * All items of a call are of one account; the results come in their order. Who comes within `gatherMs` of the end of
   * a batch waits until then. What is more than one batch can take makes up others beside it, up to `atOnce`.
   */
  constructor(work: (items: [Item, ...Item[]]) => Promise<Result[]>, { gatherMs = 0, atOnce = 1 } = {}) {
    this.#work = work
    this.#gatherMs = gatherMs
    this.#atOnce = atOnce
  }

  do(item: Item): Promise<Result> {
    const { accountId } = item.claim
    const waiting = this.#waiting.get(accountId) ?? { asked: [], running: 0 }
    this.#waiting.set(accountId, waiting)
    return new Promise((resolve, reject) => {
      waiting.asked.push({ item, resolve, reject })
      const isWanted = waiting.running === 0 || waiting.asked.length > MAX_BATCH * waiting.running
      if (isWanted && waiting.running < this.#atOnce) void this.#run(accountId, waiting)
    })
  }

  async #run(accountId: string, waiting: { asked: Asked<Item, Result>[]; running: number }): Promise<void> {
    waiting.running++
    while (waiting.asked.length > 0) {
      // Whoever asks in the same turn comes along.
      await turn()
      const batch = waiting.asked.splice(0, MAX_BATCH)
      if (batch.length > 0) await waitAtMost(LONGEST_BATCH_MS, this.#doTogether(batch))
      if (this.#gatherMs > 0 && waiting.asked.length < MAX_BATCH) await sleep(this.#gatherMs)
    }
    if (--waiting.running === 0) this.#waiting.delete(accountId)
  }

  /** One that fails takes no other with it: then each goes alone. Without a database all fail. */
  async #doTogether(batch: Asked<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#work(batch.map(({ item }) => item) as [Item, ...Item[]])
      for (const [index, { resolve }] of batch.entries()) resolve(results[index]!)
    } catch (fault) {
      if (batch.length === 1 || toDatabaseError(fault)) for (const { reject } of batch) reject(fault)
      else await Promise.all(batch.map(each => this.#doTogether([each])))
    }
  }
}

/** The place where something may befall each mail of a batch. */
export async function failpointOfEach(
  name: Failpoint,
  items: readonly { claim: { mailboxId: string } }[],
): Promise<void> {
  for (const { claim } of items) await failpoint(name, claim.mailboxId)
}
