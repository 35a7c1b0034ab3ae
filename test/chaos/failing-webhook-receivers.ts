import { mock } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { WEBHOOK_LEASE_MS } from '../../src/server/domain/webhooks/serve-webhook.ts'
import type { Failpoint } from '../../src/server/kernel/failpoints.ts'
import { makeCaller, type TestApp } from '../support/app.ts'
import { type Answer, isSigned, type PostedEvent, WebhookReceiver } from '../support/http/webhook-receiver.ts'
import { EngineProcesses } from './engine-processes.ts'

const BATCH = 25
const ENGINES = 2
const POLL_MS = 200
const failpointNames: Failpoint[] = ['webhook.claimed', 'webhook.answered', 'webhook.recorded']
/** A receiver accepts an event after this many bad attempts. Overture gives up only after ten. */
const BAD_ATTEMPTS = 5
/** Maximum number of hanging requests: a low one, because each request lasts for its whole timeout in real time. */
const HANGS = 6

export type WebhookStormFigures = {
  /** The number of events multiplied by the number of receivers. */
  expected: number
  attempts: number
  kills: number
  /** Acknowledged but never accepted by a subscribed receiver. */
  lost: number
  /** Accepted more than once. */
  repeated: number
  /** Posted with more than one ID or body. */
  inconsistent: number
  unsigned: number
  /** Deliveries with the status `failed`. */
  undelivered: number
}

type Behavior = (random: () => number) => Answer

const accept: Answer = (_posted, response) => response.writeHead(200).end()

const badResponses: Answer[] = [
  (_posted, _response, request) => request.socket.resetAndDestroy(),
  (_posted, response) => response.writeHead(302, { location: '/elsewhere' }).end(),
  (_posted, response) => response.writeHead(429, { 'retry-after': '120' }).end(),
  (_posted, response, request) =>
    response.writeHead(200, { 'content-length': 1000 }).write('half', () => request.socket.resetAndDestroy()),
  accept,
]

/** How each receiver responds to most early attempts. An event counts as accepted once status 200 is written. */
const behaviors: Behavior[] = [
  () => accept,
  random => (random() < 0.6 ? (_posted, response) => response.writeHead(500).end('no') : accept),
  random => async (posted, response, request) => {
    await sleep(100 * random())
    accept(posted, response, request)
  },
  () => () => {},
  random => badResponses[Math.floor(random() * badResponses.length)]!,
]

/** Sends events to receivers that fail in different ways, while engines are killed and a secret is rotated. */
export async function stormWebhooks(
  app: TestApp,
  { events, kills, random }: { events: number; kills: number; random: () => number },
): Promise<WebhookStormFigures> {
  const owner = await makeCaller(app)
  await using opened = new AsyncDisposableStack()
  const receivers = await Promise.all(
    behaviors.map(async behavior => {
      const receiver = opened.use(await WebhookReceiver.open())
      const webhook = await owner.call('createWebhook', {
        url: receiver.url(),
        eventTypes: ['opt_out.added'],
      })
      const tries = new Map<string, number>()
      let hangs = 0
      const accepted: PostedEvent[] = []
      receiver.answer = (posted, response, request) => {
        const attempt = (tries.get(posted.id) ?? 0) + 1
        tries.set(posted.id, attempt)
        const isHanging = behavior === behaviors[3]
        const isBad = attempt <= BAD_ATTEMPTS && (!isHanging || (random() < 0.05 && hangs++ < HANGS))
        const writeHead = response.writeHead
        response.writeHead = ((status: number, ...rest: []) => {
          if (status === 200) accepted.push(posted)
          return writeHead.call(response, status, ...rest)
        }) as typeof writeHead
        return (isBad ? behavior(random) : accept)(posted, response, request)
      }
      return { receiver, webhookId: webhook.id, secrets: [webhook.secret], accepted }
    }),
  )
  const groups = Object.fromEntries(receivers.map(({ webhookId }) => [webhookId, 'storm']))
  const engines = opened.use(await EngineProcesses.open(app, ENGINES, { groups }))
  const identifiers: string[] = []
  for (let death = 1; death <= kills; death++) {
    const name = failpointNames[(death - 1) % failpointNames.length]!
    const fired = engines.fired.length
    engines.instruct({ arm: [{ name, group: 'storm', failure: { do: 'exit' } }] })
    // Each kill gets new events, so that an engine reaches the failpoint.
    while (identifiers.length < (events * death) / kills) {
      const count = Math.min(BATCH, events - identifiers.length)
      const batch = Array.from({ length: count }, (_, n) => `n${identifiers.length + n}@navy.example`)
      await owner.call('addOptOuts', { identifiers: batch.map(identifier => ({ identifier })) })
      identifiers.push(...batch)
    }
    while (engines.fired.length === fired) await sleep(POLL_MS)
    // Ends the leases of the killed engine, and also those of the others.
    await engines.clock.advance(WEBHOOK_LEASE_MS)
    if (death === Math.ceil(kills / 2)) {
      const [{ webhookId, secrets }] = receivers as [(typeof receivers)[0]]
      secrets.push((await owner.call('rotateWebhookSecret', { webhookId })).secret)
    }
  }
  const undelivered = await waitForEnd(app, owner.accountId, engines)
  const figures = receivers.map(each => ({
    lost: identifiers.filter(identifier => !getIdentifiers(each.accepted).has(identifier)).length,
    repeated: each.accepted.length - new Set(each.accepted.map(({ id }) => id)).size,
    attempts: each.receiver.posted.length,
    inconsistent:
      new Set(each.receiver.posted.map(({ id, body }) => `${id} ${body}`)).size -
      getIdentifiers(each.receiver.posted).size,
    unsigned: each.receiver.posted.filter(
      posted => !each.secrets.some(secret => isSignedAtEngineTime(posted, secret)),
    ).length,
  }))
  const total = (name: keyof (typeof figures)[0]) => figures.reduce((sum, each) => sum + each[name], 0)
  return {
    expected: identifiers.length * receivers.length,
    attempts: total('attempts'),
    kills: engines.deaths,
    lost: total('lost'),
    repeated: total('repeated'),
    inconsistent: total('inconsistent'),
    unsigned: total('unsigned'),
    undelivered,
  }
}

const getIdentifiers = (posted: readonly PostedEvent[]): Set<unknown> =>
  new Set(posted.map(({ event }) => event.data.identifier))

/** Verifies the signature at the time at which the event was signed, because the library rejects old timestamps. */
function isSignedAtEngineTime(posted: PostedEvent, secret: string): boolean {
  mock.timers.enable({ apis: ['Date'], now: Number(posted.headers['webhook-timestamp']) * 1000 })
  try {
    return isSigned(posted, secret)
  } finally {
    mock.timers.reset()
  }
}

/**
 * Waits until no delivery is pending and returns the number of failed ones. Once nothing is due, moves the clock to the
 * last retry: stopping at each would take too long, because retries are spread over hours.
 */
async function waitForEnd(app: TestApp, accountId: string, engines: EngineProcesses): Promise<number> {
  for (;;) {
    const now = engines.clock.now()
    const [left] = await app.owner<{ pending: number; due: number; failed: number; lastAt: Date | null }[]>`
      select count(*) filter (where status = 'pending')::int as pending,
             count(*) filter (where status = 'pending' and due_at <= ${now})::int as due,
             count(*) filter (where status = 'failed')::int as failed,
             max(due_at) filter (where status = 'pending') as "lastAt"
        from webhook_deliveries where account_id = ${accountId}`
    if (left!.pending === 0) return left!.failed
    if (left!.due === 0) await engines.clock.advance(left!.lastAt!.getTime() - now.getTime())
    await sleep(POLL_MS)
  }
}
