import type { FastifyInstance, FastifyRequest } from 'fastify'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { type Config, loopbackHosts } from '../../kernel/config.ts'
import type { App } from '../../kernel/context.ts'
import { isMigrated } from '../../kernel/db/migrate.ts'
import { AppError, unavailable } from '../../kernel/errors.ts'
import { createAddressCheck } from '../../kernel/net/address-check.ts'
import { routeNotFound } from './errors.ts'
import { openServer } from './open-server.ts'

/** Serves only the health routes, for processes without an API. */
export function openHealthServer(app: App): FastifyInstance {
  const server = openServer(app, { connectionTimeout: 10_000, requestTimeout: 10_000, bodyLimit: 1 })
  server.addHook('onRequest', async request => {
    if (request.is404) throw routeNotFound()
  })
  mountHealth(server, app, { isHealthPort: true })
  return server
}

/** Mounts /healthz (liveness), /readyz (readiness) and /metrics (Prometheus). */
export function mountHealth(
  server: FastifyInstance,
  app: App,
  { isHealthPort }: { isHealthPort: boolean },
): void {
  const registry = new Registry()
  const mayReadMetrics = createAddressCheck(app.config.metricsAddresses)
  collectDefaultMetrics({ register: registry })
  server.addHook('onResponse', async (request, reply) => {
    const operation = (request.routeOptions.config as { name?: string }).name ?? 'other'
    app.metrics.requestSeconds.observe({ operation, status: reply.statusCode }, reply.elapsedTime / 1000)
  })

  server.get('/healthz', async () => ({ status: 'ok' }))
  server.get('/readyz', async () => {
    const isReady = await isMigrated(app.db.auth)
    if (!isReady) throw unavailable('The database is missing migrations. Run: bin/overture migrate')
    return { status: 'ready' }
  })
  server.get('/metrics', async (request, reply) => {
    if (isForwarded(request) || (!isHealthPort && hasProxy(app.config))) {
      throw new AppError('Forbidden', 'Metrics are not available behind a proxy; use HEALTH_PORT.')
    }
    if (!mayReadMetrics(request.ip)) {
      throw new AppError('Forbidden', 'Only the addresses in METRICS_ALLOW may read metrics.')
    }
    const all = Registry.merge([registry, app.metrics.registry])
    return reply.type(all.contentType).send(await all.metrics())
  })
}

/**
 * Returns whether a proxy forwarded the request. The request's address is then the proxy's; if METRICS_ALLOW contains
 * that address, everyone behind the proxy would pass the check.
 */
const isForwarded = ({ headers }: FastifyRequest): boolean =>
  [headers['x-forwarded-for'], headers.forwarded, headers.via].some(value => value !== undefined)

/**
 * Returns whether the configuration implies a proxy. Some proxies set no header, but links and sign-in behind a
 * proxy need a public URL.
 */
const hasProxy = ({ publicUrl, trustedProxies }: Config): boolean =>
  trustedProxies.length > 0 ||
  (publicUrl !== undefined && !loopbackHosts.includes(new URL(publicUrl).hostname))
