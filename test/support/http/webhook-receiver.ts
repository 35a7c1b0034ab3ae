import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { claimWebhooks } from '../../../src/server/domain/webhooks/claim-webhooks.ts'
import { serveWebhook, WEBHOOK_LEASE_MS } from '../../../src/server/domain/webhooks/serve-webhook.ts'
import type { App } from '../../../src/server/kernel/context.ts'

export type PostedEvent = {
  path: string
  headers: IncomingMessage['headers']
  body: string
  id: string
  event: { type: string; timestamp: string; data: Record<string, unknown> }
}

/** A function that writes the response; the default is an empty 200. */
export type Answer = (posted: PostedEvent, response: ServerResponse, request: IncomingMessage) => unknown

/** A server that receives webhooks and records them. */
export class WebhookReceiver implements AsyncDisposable {
  readonly posted: PostedEvent[] = []
  answer: Answer = (_posted, response) => response.end()
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
    server.on('request', async (request: IncomingMessage, response: ServerResponse) => {
      const body = Buffer.concat(await Array.fromAsync(request)).toString('utf8')
      const { headers, url } = request
      const id = String(headers['webhook-id'])
      const posted = { path: url!, headers, body, id, event: JSON.parse(body) }
      this.posted.push(posted)
      this.answer(posted, response, request)
    })
  }

  static async open(host = '127.0.0.1', port = 0): Promise<WebhookReceiver> {
    const server = createServer()
    server.listen(port, host)
    await once(server, 'listening')
    return new WebhookReceiver(server)
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  url(path = '/events'): string {
    return `http://127.0.0.1:${this.port}${path}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
  }
}

/** Verifies the signature with an independent library. */
export function isSigned({ body, headers }: Pick<PostedEvent, 'body' | 'headers'>, secret: string): boolean {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>)
    return true
  } catch {
    return false
  }
}

/** Delivers due events of every webhook by the app's clock, as an engine does. */
export async function deliverDueEvents(app: App): Promise<void> {
  const claims = await claimWebhooks(app.db.engine, { now: app.now(), limit: 100, leaseMs: WEBHOOK_LEASE_MS })
  await Promise.all(claims.map(claim => serveWebhook(app, claim, new AbortController().signal)))
}
