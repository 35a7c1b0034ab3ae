import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

export type Encoding = 'br' | 'gzip'

/** The encodings that the server supports, best first. A quality of 0 means that the client rejects an encoding. */
const encodings = (['br', 'gzip'] as const).map(name => ({
  name,
  pattern: new RegExp(`\\b${name}\\b(?!\\s*;\\s*q=0(?:\\.0*)?\\s*(?:,|$))`),
}))

/** Returns the best encoding that the client accepts; undefined when it accepts none. */
export function chooseEncoding({ headers }: FastifyRequest): Encoding | undefined {
  const accepted = String(headers['accept-encoding'] ?? '')
  return encodings.find(({ pattern }) => pattern.test(accepted))?.name
}

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
