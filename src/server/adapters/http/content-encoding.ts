import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

export type Encoding = 'br' | 'gzip'

/** Returns the best encoding that the client accepts; undefined when it accepts none. */
export const chooseEncoding = (request: FastifyRequest): Encoding | undefined =>
  (['br', 'gzip'] as const).find(name => accepts(request, name))

const accepts = ({ headers }: FastifyRequest, encoding: Encoding): boolean =>
  new RegExp(`\\b${encoding}\\b(?!\\s*;\\s*q=0(?:\\.0*)?\\s*(?:,|$))`).test(
    String(headers['accept-encoding'] ?? ''),
  )

/** Returns the Vary header with `accept-encoding` added; CORS may already have added `origin`. */
export const joinVary = (reply: FastifyReply): string =>
  [reply.getHeader('vary'), 'accept-encoding'].filter(Boolean).join(', ')

/** Compresses in the thread pool. */
export const encode = (
  body: Buffer | string,
  encoding: Encoding,
  { brotliQuality }: { brotliQuality: number },
): Promise<Buffer> =>
  encoding === 'gzip'
    ? promisify(gzip)(body)
    : promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } })
