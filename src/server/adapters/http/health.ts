import type { FastifyInstance, FastifyRequest } from 'fastify'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { type Config, loopbackHosts } from '../../kernel/config.ts'
import type { App } from '../../kernel/context.ts'
import { isMigrated } from '../../kernel/db/migrate.ts'
import { AppError, unavailable } from '../../kernel/errors.ts'
import { nothingHere } from './errors.ts'
import { openServer } from './open-server.ts'

/** Nothing but these, for a process that answers no requests. */
export function openHealth(app: App): FastifyInstance {
  const server = openServer(app, { connectionTimeout: 10_000, requestTimeout: 10_000, bodyLimit: 1 })
  server.addHook('onRequest', async request => {
    if (request.is404) throw nothingHere()
  })
  mountHealth(server, app, { isOwnPort: true })
  return server
}

/** For load balancers and monitoring: /healthz (the process is up), /readyz (it can work), /metrics (Prometheus). */
export function mountHealth(server: FastifyInstance, app: App, { isOwnPort }: { isOwnPort: boolean }): void {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  server.addHook('onResponse', async (request, reply) => {
    const operation = (request.routeOptions.config as { name?: string }).name ?? 'other'
    app.metrics.requestSeconds.observe({ operation, status: reply.statusCode }, reply.elapsedTime / 1000)
  })

  server.get('/healthz', async () => ({ status: 'ok' }))
  server.get('/readyz', async () => {
    const isReady = await isMigrated(app.db.auth)
    if (!isReady)
      throw unavailable('The database lacks migrations of this version. Run: bin/overture migrate')
    return { status: 'ready' }
  })
  server.get('/metrics', async (request, reply) => {
    if (isForwarded(request) || (!isOwnPort && hasProxy(app.config))) {
      throw new AppError('Forbidden', 'Metrics are not for those behind a proxy; HEALTH_PORT has them.')
    }
    if (!app.config.metricsHosts.includes(request.ip)) {
      throw new AppError('Forbidden', 'Metrics are for the addresses that METRICS_ALLOW names.')
    }
    const all = Registry.merge([registry, app.metrics.registry])
    return reply.type(all.contentType).send(await all.metrics())
  })
}

/** Everybody whom a proxy serves comes from the proxy's address, which METRICS_ALLOW may well name. */
const isForwarded = ({ headers }: FastifyRequest): boolean =>
  [headers['x-forwarded-for'], headers.forwarded, headers.via].some(value => value !== undefined)

/** Not every proxy says that it is one, but then links and sign-in need its address. */
const hasProxy = ({ publicUrl, trustedProxies }: Config): boolean =>
  trustedProxies.length > 0 ||
  (publicUrl !== undefined && !loopbackHosts.includes(new URL(publicUrl).hostname))
