import type { IncomingMessage } from 'node:http'
import { type Readable, Transform } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { id } from '../../../contract/page.ts'
import { invoke } from '../../invoke.ts'
import type { App } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import { limitConcurrency } from './concurrency-limit.ts'
import { admitLink, type Guards, toContext } from './routes.ts'

/** A function that opens the recording at the provider; it returns undefined when there is none. */
export type OpenRecording = (
  call: { accountId: string; callId: string },
  request: { range: string | undefined; signal: AbortSignal },
) => Promise<IncomingMessage | undefined>

const MAX_CONCURRENT = 16
const MAX_BYTES = 512 * 1024 * 1024
const TIMEOUT_MS = 15 * 60_000
const ONE_RANGE = /^bytes=(\d{1,12}-\d{0,12}|-\d{1,12})$/

/**
 * Streams `GET /v1/calls/{callId}/recording` to anyone who may read the call, without revealing the provider's URL.
 * Audio players cannot send headers, so `?accountId=` may name the account. Supports one byte range (RFC 9110 section
 * 14.2).
 */
export function mountRecordings(
  server: FastifyInstance,
  app: App,
  guards: Guards,
  open: OpenRecording,
): void {
  const acquire = limitConcurrency(
    MAX_CONCURRENT,
    'Too many recordings are being played. Try again in a moment.',
  )
  server.get(
    '/v1/calls/:callId/recording',
    {
      handlerTimeout: TIMEOUT_MS,
      config: { name: 'getCallRecording' },
      onRequest: admitLink(app, guards),
    },
    async (request, reply) => {
      const { callId } = request.params as { callId: string }
      if (!id.safeParse(callId).success) throw notFound('call')
      const context = toContext(app, request)
      await invoke(context, { name: 'getCall', input: { callId } })
      acquire(reply)
      const { range } = request.headers
      const recording = await open(
        { accountId: context.accountId, callId },
        { range: range && ONE_RANGE.test(range) ? range : undefined, signal: request.signal },
      )
      if (!recording) throw notFound('recording')
      return reply
        .code(recording.statusCode!)
        .headers(toResponseHeaders(recording))
        .send(limitSize(recording))
    },
  )
}

/** Returns headers that let browsers only play or save the recording, never show it as a page of this server. */
function toResponseHeaders({ headers }: IncomingMessage): Record<string, string> {
  const type = headers['content-type'] ?? ''
  const forwarded = ['content-length', 'content-range', 'accept-ranges'] as const
  return {
    'content-type': /^audio\/[\w.+-]+$/.test(type) ? type : 'application/octet-stream',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
    ...Object.fromEntries(forwarded.flatMap(name => (headers[name] ? [[name, headers[name]]] : []))),
  }
}

function limitSize(recording: Readable): Readable {
  let bytes = 0
  const counted = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      bytes += chunk.length
      if (bytes > MAX_BYTES) done(new Error('the recording is too large'))
      else done(null, chunk)
    },
  })
  recording.once('error', error => counted.destroy(error))
  counted.once('close', () => recording.destroy())
  return recording.pipe(counted)
}
