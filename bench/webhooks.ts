import { setTimeout as sleep } from 'node:timers/promises'
import { openEngine } from '../src/server/engine/loop.ts'
import type { App } from '../src/server/kernel/context.ts'
import { makeCaller } from '../test/support/app.ts'
import { WebhookReceiver } from '../test/support/http/webhook-receiver.ts'
import { median, readRssMb } from './measure.ts'
import type { Row } from './print.ts'

const EVENTS_PER_SECOND = 100
const REQUESTS_PER_SECOND = 10
const SECONDS_PER_ROUND = 20
const TIMEOUT_MS = 30_000

/**
 * Measures the delay between the response that acknowledges a change and the arrival of its event at the receiver, at
 * 100 events per second. That rate is also the baseline. Engine, requests and receiver share a process.
 */
export async function measureWebhooks(
  app: App,
  { rounds, log }: { rounds: number; log: (message: string) => void },
): Promise<Row> {
  await using receiver = await WebhookReceiver.open()
  const arrivedAt = new Map<unknown, number>()
  receiver.answer = ({ event }, response) => {
    arrivedAt.set(event.data.identifier, performance.now())
    response.end()
  }
  const owner = await makeCaller(app)
  await owner.call('createWebhook', { url: receiver.url(), eventTypes: ['opt_out.added'] })
  await using _engine = openEngine(app)
  const allDelays: number[] = []
  const rates: number[] = []
  for (let round = 1; round <= rounds; round++) {
    log(`webhooks, round ${round} of ${rounds}`)
    const startedAt = performance.now()
    const acknowledgedAt = new Map<string, number>()
    for (let request = 0; request < SECONDS_PER_ROUND * REQUESTS_PER_SECOND; request++) {
      await sleep(Math.max(0, startedAt + (request * 1000) / REQUESTS_PER_SECOND - performance.now()))
      const emails = Array.from(
        { length: EVENTS_PER_SECOND / REQUESTS_PER_SECOND },
        (_, n) => `${round}-${request}-${n}@navy.example`,
      )
      await owner.call('addOptOuts', { identifiers: emails.map(identifier => ({ identifier })) })
      for (const email of emails) acknowledgedAt.set(email, performance.now())
    }
    const deadline = performance.now() + TIMEOUT_MS
    const isPending = () => acknowledgedAt.keys().some(email => !arrivedAt.has(email))
    while (isPending() && performance.now() < deadline) await sleep(10)
    if (isPending()) throw new Error('Events were not delivered in time.')
    const delays = [...acknowledgedAt].map(([email, at]) => Math.max(0, arrivedAt.get(email)! - at))
    allDelays.push(...delays)
    const seconds = (Math.max(...arrivedAt.values()) - startedAt) / 1000
    rates.push(acknowledgedAt.size / seconds)
  }
  const sorted = allDelays.toSorted((a, b) => a - b)
  return {
    case: 'webhooks',
    ratio: median(rates) / EVENTS_PER_SECOND,
    reqPerSec: median(rates),
    baselineReqPerSec: EVENTS_PER_SECOND,
    p50Ms: median(allDelays),
    p99Ms: sorted[Math.floor(sorted.length * 0.99)]!,
    nodeCpuUs: null,
    pgCpuUs: null,
    baselineNodeCpuUs: null,
    baselinePgCpuUs: null,
    rssMb: readRssMb(process.pid),
  }
}
