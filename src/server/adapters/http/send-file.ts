import type { FastifyReply, FastifyRequest } from 'fastify'
import { chooseEncoding, type Encoding, encode, joinVary } from './content-encoding.ts'
import { isKnown, toTag } from './etag.ts'

/** Slow, but done once for each file. */
const BROTLI_QUALITY = 9

/** A file in memory, with its compressed forms. */
export type File = { type: string; body: Buffer; tag: string; encoded: Map<Encoding, Promise<Buffer>> }

export const toFile = (type: string, body: Buffer, brotli?: Buffer): File => ({
  type,
  body,
  tag: toTag(body),
  encoded: new Map(brotli && [['br', Promise.resolve(brotli)]]),
})

/** Sends a file, compressed on request, or an empty 304 when the client already has it. */
export async function sendFile(
  { type, body, tag, encoded }: File,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  // Weak, because the bytes depend on the encoding.
  reply.header('etag', `W/${tag}`)
  if (isKnown(request, tag)) return reply.code(304).send()
  reply.type(type)
  // Fonts are already compressed.
  if (type === 'font/woff2') return reply.send(body)
  reply.header('vary', joinVary(reply))
  const encoding = chooseEncoding(request)
  if (!encoding) return reply.send(body)
  return reply
    .header('content-encoding', encoding)
    .send(
      await encoded.getOrInsertComputed(encoding, () =>
        encode(body, encoding, { brotliQuality: BROTLI_QUALITY }),
      ),
    )
}
