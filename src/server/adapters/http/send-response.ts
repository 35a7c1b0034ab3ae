import type { FastifyReply, FastifyRequest } from 'fastify'
import { isSession } from '../../kernel/context.ts'
import { chooseEncoding, encode, joinVary } from './content-encoding.ts'
import { isKnown, toTag } from './etag.ts'

/** Smaller responses fit into one packet anyway. */
const MIN_BYTES = 1024
/** As fast as gzip, and smaller. */
const BROTLI_QUALITY = 4

/**
 * Sends the response of an operation. Responses to reads have an ETag, are an empty 304 when the client already
 * has them, and are compressed on request.
 */
export async function sendResponse(
  request: FastifyRequest,
  reply: FastifyReply,
  text: string,
  contentType: 'application/json' | 'text/csv',
): Promise<FastifyReply> {
  reply.type(`${contentType}; charset=utf-8`)
  // Responses to writes may contain a new secret.
  if (request.method !== 'GET' && request.method !== 'HEAD') return reply.send(text)
  const tag = toTag(text)
  // Weak, because the bytes depend on the encoding.
  reply.header('etag', `W/${tag}`)
  if (isKnown(request, tag)) return reply.removeHeader('content-type').code(304).send()
  if (text.length < MIN_BYTES || !mayCompress(request)) return reply.send(text)
  reply.header('vary', joinVary(reply))
  const encoding = chooseEncoding(request)
  if (!encoding) return reply.send(text)
  const body = await encode(text, encoding, { brotliQuality: BROTLI_QUALITY })
  return reply.header('content-encoding', encoding).send(body)
}

/**
 * Returns whether the response may be compressed without allowing a BREACH attack, which guesses a response's content
 * from its compressed length while a page makes the browser repeat requests with its cookie. Browsers send cookies with
 * navigations from other sites, so responses to sessions are compressed only for our own pages. Browsers never add API
 * tokens by themselves.
 */
const mayCompress = ({ identity, headers }: FastifyRequest): boolean =>
  !isSession(identity!) || headers['sec-fetch-site'] === 'same-origin'
