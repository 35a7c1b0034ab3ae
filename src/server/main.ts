import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { openHealthServer } from './adapters/http/health.ts'
import type { Inbound } from './adapters/http/inbound.ts'
import type { InboundCallbacks } from './adapters/http/inbound-callbacks.ts'
import { openRateLimits } from './adapters/http/rate-limits.ts'
import type { Guards } from './adapters/http/routes.ts'
import { openHttp } from './adapters/http/server.ts'
import { readSessionCookie } from './adapters/http/session-cookie.ts'
import { openMcp } from './adapters/mcp/mcp-server.ts'
import { type McpGuards, mountMcp } from './adapters/mcp/mount-mcp.ts'
import type { FindUser } from './adapters/oauth/consent.ts'
import { openExternalIssuer } from './adapters/oauth/external-issuer.ts'
import { openIssuer } from './adapters/oauth/issuer.ts'
import { mountExternalIssuer, mountOauth } from './adapters/oauth/mount-oauth.ts'
import { openAccess } from './domain/auth/access.ts'
import { receiveVoiceCallback } from './domain/calls/receive-callback.ts'
import { openRecording } from './domain/calls/recording.ts'
import { createAttachment, openAttachment } from './domain/inbox/attachments.ts'
import { getEmailHtml } from './domain/inbox/email-html.ts'
import { verifyInboundKey } from './domain/linkedin/accounts.ts'
import { receiveLinkedinEvent } from './domain/linkedin/receive-event.ts'
import { findInboundMailbox } from './domain/mailboxes/inbound-url.ts'
import { verifyMeetingKey } from './domain/meetings/meeting-webhooks.ts'
import { receiveMeetingEvent } from './domain/meetings/receive-event.ts'
import { openExportFile } from './domain/reports/exports.ts'
import { toCsv } from './domain/reports/to-csv.ts'
import { openLiveEvents } from './domain/webhooks/live-events.ts'
import { openEngine } from './engine/loop.ts'
import { registerQueueMetrics } from './engine/queue-metrics.ts'
import { receiveMail } from './engine/receive/receive-mail.ts'
import type { Installation } from './installation.ts'
import { withTimeout } from './kernel/async/with-timeout.ts'
import type { Config } from './kernel/config.ts'
import type { App } from './kernel/context.ts'
import { MAX_FILE_BYTES } from './protocols/mime/file-limits.ts'
import { maxEmailBytes } from './protocols/mime/parse.ts'
import { openSandbox } from './protocols/smtp/sandbox.ts'

/** Leaves time to close connections within the 30 seconds that process managers grant. */
const DRAIN_MS = 20_000

/**
 * A running server. Disposing it stops claiming work, waits for work in flight for up to 20 seconds, then closes. Other
 * processes take over unfinished work when its leases end.
 */
export type Running = AsyncDisposable & { app: App; url: string | undefined; healthUrl: string | undefined }

/** Returns the handlers for pushed email, which is received like email from IMAP. */
const toInbound = (app: App): Inbound => ({
  maxBytes: maxEmailBytes,
  findMailbox: key => findInboundMailbox(app, key),
  receive: email => receiveMail(app, email),
})

const toInboundCallbacks = (app: App): InboundCallbacks[] => [
  {
    kind: 'linkedin',
    noun: 'LinkedIn webhook URL',
    operation: 'receiveLinkedinEvent',
    findAccount: key => verifyInboundKey(app.keys, key),
    receive: request => receiveLinkedinEvent(app, request),
  },
  {
    kind: 'meetings',
    noun: 'meeting webhook URL',
    operation: 'receiveMeetingEvent',
    findAccount: key => verifyMeetingKey(app.keys, key),
    receive: request => receiveMeetingEvent(app, request),
  },
]

/** Opens the HTTP server: the API, webhooks of other services, and MCP with OAuth. */
export async function openHttpServer(app: App, guards: Guards, mcp = openMcp(app)): Promise<FastifyInstance> {
  const server = await openHttp(app, guards, {
    inbound: toInbound(app),
    callbacks: toInboundCallbacks(app),
    receiveVoiceCallback: callback => receiveVoiceCallback(app, callback),
    openRecording: (call, request) => openRecording(app, call, request),
    openExportFile,
    live: openLiveEvents(app),
    toCsv,
    getEmailHtml,
    attachments: { maxBytes: MAX_FILE_BYTES, create: createAttachment, open: openAttachment },
  })
  const { count, countFailure, countMcp, countAnonymous, countRegistration, countAuthorization } =
    guards.limits
  const counting: Omit<McpGuards, 'findConnection'> = {
    countFailure,
    countMcp,
    countOptOuts: (accountId, requests) => count(accountId, 'optOuts', requests),
  }
  const { oauthIssuer } = app.config
  if (oauthIssuer !== undefined) {
    const external = await openExternalIssuer(app, oauthIssuer)
    await mountMcp(server, app, mcp, { findConnection: external.verifyAccessToken, ...counting })
    mountExternalIssuer(server, app, external)
    return server
  }
  const issuer = await openIssuer(app)
  await mountMcp(server, app, mcp, { findConnection: issuer.verifyAccessToken, ...counting })
  const findUser: FindUser = async request => {
    const cookie = readSessionCookie(app.config, request)
    return cookie === undefined ? undefined : guards.access.findSession(cookie)
  }
  await mountOauth(server, app, { issuer, findUser, countAnonymous, countRegistration, countAuthorization })
  return server
}

/**
 * Starts the roles of this process: `web` serves requests, `engine` sends and receives. `mount` adds routes that are
 * not part of the product, such as the demo's.
 */
export async function serve(
  config: Config,
  installation: Installation,
  mount: (server: FastifyInstance) => Promise<void> = async () => {},
): Promise<Running> {
  await using opened = new AsyncDisposableStack()
  await using working = new AsyncDisposableStack()
  let { app } = installation
  let url: string | undefined
  let healthUrl: string | undefined
  if (config.role !== 'web') {
    const sandbox = opened.use(await openSandbox({ dir: join(installation.dataDir, 'sandbox') }))
    app = { ...app, sandbox }
    registerQueueMetrics(app)
  }
  if (config.role !== 'engine') {
    const reserved = config.port === 0 ? await reservePort(config) : undefined
    opened.defer(() => void reserved?.close())
    if (reserved) app = { ...app, config: { ...app.config, port: getAddress(reserved).port } }
    const access = opened.use(await openAccess(app))
    const limits = opened.use(openRateLimits(config, app.log))
    const server = await openHttpServer(app, { access, limits })
    working.defer(() => server.close())
    await mount(server)
    const address = await listen(server, config, reserved ?? config.port)
    url = config.publicUrl ?? address
  }
  if (config.healthPort !== undefined) {
    const server = openHealthServer(app)
    opened.defer(() => server.close())
    healthUrl = await listen(server, config, config.healthPort)
  }
  if (config.role !== 'web') working.use(openEngine(app))
  const all = opened.move()
  const work = working.move()
  return {
    app,
    url,
    healthUrl,
    [Symbol.asyncDispose]: async () => {
      await using _last = all
      if (!(await withTimeout(work.disposeAsync(), DRAIN_MS))) {
        app.log.warn(
          'server: work in flight did not end in time; other processes take over when its leases end',
        )
      }
    },
  }
}

const getAddress = (server: Server): AddressInfo => server.address() as AddressInfo

/** Reserves a free port before routes are mounted, because they build links with it. */
async function reservePort({ host }: Config): Promise<Server> {
  const reserved = createServer().listen(0, host)
  await once(reserved, 'listening')
  return reserved
}

async function listen(server: FastifyInstance, { host }: Config, port: number | Server): Promise<string> {
  // Listens on the address, because for the name localhost, Fastify opens a second server without our limits. Node
  // accepts an object with a `_handle` and listens on that handle.
  const { _handle } = port as Server & { _handle?: object }
  await server.listen(
    typeof port === 'number'
      ? { port, host: (await lookup(host)).address }
      : ({ _handle, host: getAddress(port).address } as object),
  )
  // Cookies and tokens are bound to the host name, so this URL and the links must use the same one.
  const name = host === '127.0.0.1' ? 'localhost' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${getAddress(server.server).port}`
}
