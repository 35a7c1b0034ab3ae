import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../server/kernel/config.ts'
import type { App } from '../server/kernel/context.ts'
import { keepWebhook, readWebhook } from './keep-webhook.ts'
import { findFault } from './verify-webhook.ts'
import { type Caught, catcherPage, listItems, pageHeaders } from './webhook-page.ts'

export const catcherPath = '/demo/webhooks'

const MOST = 50
/** Larger than any event. */
const BODY_LIMIT_BYTES = 64 * 1024
const LONGEST_SHOWN = 30_000

/** The other side of a webhook, as a page: what came in, and whether it is believed. */
export type Catcher = {
  mount: (server: FastifyInstance) => Promise<void>
  /** Once the server listens: Acme has a webhook that leads here. */
  connect: (app: App) => Promise<void>
}

/** Where this server reaches itself. */
const ownHost = (host: string): string => (host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host)

export function ownOrigin(config: Config): string {
  const host = ownHost(config.host)
  return `http://${host.includes(':') ? `[${host}]` : host}:${config.port}`
}

/** Webhooks may lead to this server itself, as its operator allows a host inside the network. */
export const allowCatcher = (config: Config): Config => ({
  ...config,
  privateHosts: [...config.privateHosts, ownHost(config.host)],
})

export async function openCatcher(dataDir: string): Promise<Catcher> {
  let secret = (await readWebhook(dataDir))?.secret ?? ''
  const caught: Caught[] = []

  function take(body: Buffer, headers: IncomingHttpHeaders): string | undefined {
    const fault = findFault(body, headers, secret)
    const id = String(headers['webhook-id'] ?? 'without an id').slice(0, 100)
    const isRepeated = caught.some(each => each.id === id && !each.fault)
    // Later than any before it, also when two come at once.
    const at = Math.max(Date.now(), (caught[0]?.at ?? 0) + 1)
    caught.unshift({ at, id, ...read(body), fault, isRepeated })
    caught.splice(MOST)
    return fault
  }

  const mount = async (server: FastifyInstance) => {
    await server.register(async scope => {
      scope.removeAllContentTypeParsers()
      const whole = { parseAs: 'buffer', bodyLimit: BODY_LIMIT_BYTES } as const
      scope.addContentTypeParser('*', whole, (_request, body, done) => done(null, body))
      scope.get(catcherPath, async (request, reply) => {
        reply.headers(pageHeaders(MOST))
        const { after } = request.query as { after?: string }
        return after === undefined
          ? catcherPage(caught, MOST)
          : listItems(caught.filter(({ at }) => at > Number(after)))
      })
      scope.post(catcherPath, async (request, reply) => {
        const fault = take((request.body as Buffer | undefined) ?? Buffer.alloc(0), request.headers)
        return reply.code(fault ? 401 : 200).send(fault ? { message: fault } : { ok: true })
      })
    })
  }

  const connect = async (app: App) => {
    secret = await keepWebhook(app, dataDir, ownOrigin(app.config) + catcherPath)
  }

  return { mount, connect }
}

/** As the page shows it: indented where it is JSON. */
function read(body: Buffer): { type: string; body: string } {
  const text = body.toString('utf8')
  try {
    const event = JSON.parse(text) as { type?: unknown } | null
    return {
      type: String(event?.type ?? 'no type').slice(0, 100),
      body: JSON.stringify(event, null, 2).slice(0, LONGEST_SHOWN),
    }
  } catch {
    return { type: 'no JSON', body: text.slice(0, LONGEST_SHOWN) }
  }
}
