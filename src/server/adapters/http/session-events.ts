import { finished, PassThrough } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Role } from '../../../contract/permissions.ts'
import type { App, Identity } from '../../kernel/context.ts'
import { identifyAgain } from './authenticate.ts'
import { limitConcurrency } from './concurrency-limit.ts'
import { admit, type Guards } from './routes.ts'

/** Changes up to `position`, by role. */
type ChangeBatch = { position: string; getChanges: (role: Role) => object }

/** The recorded events of all accounts; opened by domain/webhooks/live-events.ts. */
export type LiveEvents = AsyncDisposable & {
  follow: (
    accountId: string,
    after: string | undefined,
    onChanges: (batch: ChangeBatch) => void,
  ) => Promise<() => void>
  check: (accountId: string) => void
}

const MAX_STREAMS = 2_000
const MAX_STREAMS_PER_USER = 20
/** Shorter than the idle time after which proxies close a connection, usually a minute. */
const HEARTBEAT_MS = 20_000
/** A client that reads too slowly is disconnected; it can resume after its last event. */
const MAX_BUFFERED_BYTES = 64 * 1024
const FOREVER_MS = 2 ** 31 - 1

/**
 * Mounts `GET /v1/session/events`: server-sent events that report which lists of the account have changed, for as long
 * as the credentials give access.
 */
export function mountSessionEvents(
  server: FastifyInstance,
  app: App,
  guards: Guards,
  live: LiveEvents,
): void {
  const acquire = limitConcurrency(
    MAX_STREAMS,
    'Too many event streams are open. Close some tabs or try again later.',
    MAX_STREAMS_PER_USER,
  )
  const open = new Set<PassThrough>()
  // Runs before the server waits for its connections to close, which open streams would prevent.
  server.addHook('preClose', async () => {
    for (const stream of open) stream.end()
    await live[Symbol.asyncDispose]()
  })
  server.get(
    '/v1/session/events',
    {
      handlerTimeout: FOREVER_MS,
      exposeHeadRoute: false,
      config: { name: 'streamEvents' },
      onRequest: async (request, reply) => {
        readAccountFromQuery(request)
        await admit(app, guards, request, reply)
      },
    },
    async (request, reply) => {
      acquire(reply, request.identity!.userId)
      const { accountId } = request.identity!
      const stream = new PassThrough()
      reply.raw.once('close', () => stream.destroy())
      const send = createSender(app, guards, request, stream)
      const unfollow = await live.follow(accountId, readLastEventId(request), send)
      const heartbeat = setInterval(() => {
        live.check(accountId)
        void send()
      }, HEARTBEAT_MS)
      open.add(stream)
      finished(stream, () => {
        clearInterval(heartbeat)
        unfollow()
        open.delete(stream)
      })
      return reply
        .headers({
          'content-type': 'text/event-stream; charset=utf-8',
          'cache-control': 'no-store',
          'x-accel-buffering': 'no',
        })
        .send(stream)
    },
  )
}

/** Reads the account from the query, because the browser's EventSource can't send headers. */
function readAccountFromQuery(request: FastifyRequest): void {
  const { accountId } = request.query as { accountId?: unknown }
  if (typeof accountId === 'string') request.headers['x-account-id'] ??= accountId
}

function readLastEventId({ headers }: FastifyRequest): string | undefined {
  const id = headers['last-event-id']
  return typeof id === 'string' && id !== '' ? id : undefined
}

/**
 * Returns a function that writes a batch of changes, or a heartbeat if there is none. It ends the stream when the
 * caller's access has ended, and disconnects a client that doesn't keep up.
 */
function createSender(
  app: App,
  { access }: Guards,
  request: FastifyRequest,
  stream: PassThrough,
): (batch?: ChangeBatch) => Promise<void> {
  const { accountId } = request.identity!
  const write = (identity: Identity, batch: ChangeBatch | undefined) => {
    if (stream.writableLength + stream.readableLength > MAX_BUFFERED_BYTES) stream.destroy()
    else stream.write(batch ? formatChanges(batch, identity) : ': \n\n')
  }
  // Batches are written one after the other, so that the last ID sent is the latest.
  let previous = Promise.resolve()
  return batch => {
    previous = previous.then(async () => {
      if (stream.writableEnded || stream.destroyed) return
      try {
        const identity = await identifyAgain(app, access, request)
        if (identity?.accountId === accountId) write(identity, batch)
        else stream.end()
      } catch (err) {
        app.log.warn({ accountId, err }, 'live events: access could not be checked')
        stream.end()
      }
    })
    return previous
  }
}

const formatChanges = ({ position, getChanges }: ChangeBatch, { role }: Identity): string =>
  `id: ${position}\nevent: changes\ndata: ${JSON.stringify(getChanges(role))}\n\n`
