import { Counter, Histogram, Registry } from 'prom-client'

/** The stages of a send, in order. */
export type Stage = 'plan' | 'read' | 'compose' | 'smtp' | 'gate' | 'record'

/** The Prometheus metrics of this process; default process metrics are added at /metrics. */
export type Metrics = {
  registry: Registry
  requestSeconds: Histogram<'operation' | 'status'>
  refusedConnections: Counter<'limit'>
  sends: Counter<'outcome'>
  receivedEmails: Counter<'kind' | 'outcome'>
  stageSeconds: Histogram<'stage'>
  webhookAttempts: Counter<'outcome'>
  replyClassifications: Counter<'outcome'>
}

export function openMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  return {
    registry,
    requestSeconds: new Histogram({
      name: 'overture_http_request_seconds',
      help: 'Time to answer a request, by operation and status',
      labelNames: ['operation', 'status'] as const,
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    refusedConnections: new Counter({
      name: 'overture_http_refused_connections_total',
      help: 'Connections refused because too many were open, from their address or in total',
      labelNames: ['limit'] as const,
      registers,
    }),
    sends: new Counter({
      name: 'overture_sends_total',
      help: 'Attempts to send a message, by outcome',
      labelNames: ['outcome'] as const,
      registers,
    }),
    receivedEmails: new Counter({
      name: 'overture_received_mails_total',
      help: 'Incoming emails, by classification and by whether they were stored, duplicates or ignored',
      labelNames: ['kind', 'outcome'] as const,
      registers,
    }),
    stageSeconds: new Histogram({
      name: 'overture_send_stage_seconds',
      help: 'Time that a message spends in each stage; smtp includes the gate',
      labelNames: ['stage'] as const,
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
      registers,
    }),
    webhookAttempts: new Counter({
      name: 'overture_webhook_attempts_total',
      help: 'Attempts to post an event to a webhook, by outcome',
      labelNames: ['outcome'] as const,
      registers,
    }),
    replyClassifications: new Counter({
      name: 'overture_reply_classifications_total',
      help: 'Replies classified by a model, by outcome',
      labelNames: ['outcome'] as const,
      registers,
    }),
  }
}

/** Records how long the work takes, even when it throws. */
export async function measureStage<T>(
  { stageSeconds }: Metrics,
  stage: Stage,
  work: () => Promise<T>,
): Promise<T> {
  const startedAt = performance.now()
  try {
    return await work()
  } finally {
    stageSeconds.observe({ stage }, (performance.now() - startedAt) / 1000)
  }
}
