import { setTimeout as sleep } from 'node:timers/promises'
import { openEngine } from '../src/server/engine/loop.ts'
import type { App } from '../src/server/kernel/context.ts'
import { aCaller } from '../test/support/app.ts'
import { WebhookReceiver } from '../test/support/http/webhook-receiver.ts'
import { median, rssMbOf } from './measure.ts'
import type { Row } from './print.ts'

const PER_SECOND = 100
const REQUESTS_PER_SECOND = 10
const SECONDS_A_ROUND = 20
const LONGEST_MS = 30_000

/**
 * From the answer that acknowledges a change to its event at a receiver that answers at once, 100 events a second. The
 * limit is what comes in. Engine, requests and receiver share a process.
 */
export async function measureWebhooks(
  app: App,
  { rounds, say }: { rounds: number; say: (message: string) => void },
): Promise<Row> {
  await using receiver = await WebhookReceiver.open()
  const arrivedAt = new Map<unknown, number>()
  receiver.answer = ({ event }, response) => {
    arrivedAt.set(event.data.identifier, performance.now())
    response.end()
  }
  const owner = await aCaller(app)
  await owner.call('createWebhook', { url: receiver.url(), eventTypes: ['opt_out.added'] })
  await using _engine = openEngine(app)
  const waits: number[] = []
  const rates: number[] = []
  for (let round = 1; round <= rounds; round++) {
    say(`webhooks, round ${round} of ${rounds}`)
    const startedAt = performance.now()
    const acknowledgedAt = new Map<string, number>()
    for (let request = 0; request < SECONDS_A_ROUND * REQUESTS_PER_SECOND; request++) {
      await sleep(Math.max(0, startedAt + (request * 1000) / REQUESTS_PER_SECOND - performance.now()))
      const emails = Array.from(
        { length: PER_SECOND / REQUESTS_PER_SECOND },
        (_, n) => `${round}-${request}-${n}@navy.example`,
      )
      await owner.call('addOptOuts', { identifiers: emails.map(identifier => ({ identifier })) })
      for (const email of emails) acknowledgedAt.set(email, performance.now())
    }
    const giveUpAt = performance.now() + LONGEST_MS
    const isLeft = () => acknowledgedAt.keys().some(email => !arrivedAt.has(email))
    while (isLeft() && performance.now() < giveUpAt) await sleep(10)
    if (isLeft()) throw new Error('Events were not delivered in time.')
    const ofRound = [...acknowledgedAt].map(([email, at]) => Math.max(0, arrivedAt.get(email)! - at))
    waits.push(...ofRound)
    const seconds = (Math.max(...arrivedAt.values()) - startedAt) / 1000
    rates.push(acknowledgedAt.size / seconds)
  }
  const sorted = waits.toSorted((a, b) => a - b)
  return {
    case: 'webhooks',
    ratio: median(rates) / PER_SECOND,
    reqPerSec: median(rates),
    limitReqPerSec: PER_SECOND,
    p50Ms: median(waits),
    p99Ms: sorted[Math.floor(sorted.length * 0.99)]!,
    nodeCpuUs: null,
    pgCpuUs: null,
    limitNodeCpuUs: null,
    limitPgCpuUs: null,
    rssMb: rssMbOf(process.pid),
  }
}
