import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../../server/kernel/config.ts'
import type { App } from '../../server/kernel/context.ts'
import { ensureWebhook, readStoredWebhook } from './ensure-webhook.ts'
import { getPageHeaders, type ReceivedEvent, renderItems, renderPage } from './page.ts'
import { findSignatureError } from './verify-signature.ts'

export const webhookReceiverPath = '/demo/webhooks'

const MAX_EVENTS = 50
/** Larger than any event. */
const BODY_LIMIT_BYTES = 64 * 1024
const MAX_SHOWN_CHARACTERS = 30_000

/** A webhook endpoint with a page that shows the events it receives and whether their signatures are valid. */
type WebhookReceiver = {
  mount: (server: FastifyInstance) => Promise<void>
  /** Points Acme's webhook to this server, once it listens. */
  connect: (app: App) => Promise<void>
}

/** Returns the host at which this server reaches itself. */
const getOwnHost = (host: string): string => (host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host)

export function getOwnOrigin(config: Config): string {
  const host = getOwnHost(config.host)
  return `http://${host.includes(':') ? `[${host}]` : host}:${config.port}`
}

/** Allows webhooks to this server itself, as an operator allows a private host. */
export const allowOwnHost = (config: Config): Config => ({
  ...config,
  privateHosts: [...config.privateHosts, getOwnHost(config.host)],
})

export async function openWebhookReceiver(dataDir: string): Promise<WebhookReceiver> {
  let secret = (await readStoredWebhook(dataDir))?.secret ?? ''
  const events: ReceivedEvent[] = []

  function receive(body: Buffer, headers: IncomingHttpHeaders): string | undefined {
    const error = findSignatureError(body, headers, secret)
    const id = String(headers['webhook-id'] ?? 'no ID').slice(0, 100)
    const isRepeated = events.some(event => event.id === id && !event.error)
    // Unique even when two requests arrive in the same millisecond.
    const at = Math.max(Date.now(), (events[0]?.at ?? 0) + 1)
    events.unshift({ at, id, ...parseBody(body), error, isRepeated })
    events.splice(MAX_EVENTS)
    return error
  }

  const mount = async (server: FastifyInstance) => {
    await server.register(async scope => {
      scope.removeAllContentTypeParsers()
      const options = { parseAs: 'buffer', bodyLimit: BODY_LIMIT_BYTES } as const
      scope.addContentTypeParser('*', options, (_request, body, done) => done(null, body))
      scope.get(webhookReceiverPath, async (request, reply) => {
        reply.headers(getPageHeaders(MAX_EVENTS))
        const { after } = request.query as { after?: string }
        return after === undefined
          ? renderPage(events, MAX_EVENTS)
          : renderItems(events.filter(({ at }) => at > Number(after)))
      })
      scope.post(webhookReceiverPath, async (request, reply) => {
        const error = receive((request.body as Buffer | undefined) ?? Buffer.alloc(0), request.headers)
        return reply.code(error ? 401 : 200).send(error ? { message: error } : { ok: true })
      })
    })
  }

  const connect = async (app: App) => {
    secret = await ensureWebhook(app, dataDir, getOwnOrigin(app.config) + webhookReceiverPath)
  }

  return { mount, connect }
}

/** Returns the event type and the body for display, indented if it is JSON. */
function parseBody(body: Buffer): { type: string; body: string } {
  const text = body.toString('utf8')
  try {
    const event = JSON.parse(text) as { type?: unknown } | null
    return {
      type: String(event?.type ?? 'no type').slice(0, 100),
      body: JSON.stringify(event, null, 2).slice(0, MAX_SHOWN_CHARACTERS),
    }
  } catch {
    return { type: 'not JSON', body: text.slice(0, MAX_SHOWN_CHARACTERS) }
  }
}
