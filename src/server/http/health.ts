import fastify, { type FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import type { App } from '../context.ts'
import { AppError, unavailable } from '../errors.ts'
import { isMigrated } from '../migrate.ts'
import { sendError } from './errors.ts'

/** Nothing but these, for a process that answers no requests. */
export function openHealth(app: App): FastifyInstance {
  const server = fastify({ logger: false, connectionTimeout: 10_000, requestTimeout: 10_000, bodyLimit: 1 })
  server.setErrorHandler((error, request, reply) => sendError(app.log, error, request, reply))
  mountHealth(server, app)
  return server
}

/** For load balancers and monitoring: /healthz (the process is up), /readyz (it can work), /metrics (Prometheus). */
export function mountHealth(server: FastifyInstance, app: App): void {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const durations = new Histogram({
    name: 'overture_http_request_seconds',
    help: 'Time to answer a request, by operation and status',
    labelNames: ['operation', 'status'] as const,
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  server.addHook('onResponse', async (request, reply) => {
    const operation = (request.routeOptions.config as { name?: string }).name ?? 'other'
    durations.observe({ operation, status: reply.statusCode }, reply.elapsedTime / 1000)
  })

  server.get('/healthz', async () => ({ status: 'ok' }))
  server.get('/readyz', async () => {
    const isReady = await isMigrated(app.db.auth)
    if (!isReady)
      throw unavailable('The database lacks migrations of this version. Run: bin/overture migrate')
    return { status: 'ready' }
  })
  server.get('/metrics', async (request, reply) => {
    if (!app.config.metricsHosts.includes(request.ip)) {
      throw new AppError('Forbidden', 'Metrics are for the addresses that METRICS_ALLOW names.')
    }
    const all = Registry.merge([registry, app.metrics.registry])
    return reply.type(all.contentType).send(await all.metrics())
  })
}
