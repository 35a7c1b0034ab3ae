import type { FastifyReply, FastifyRequest } from 'fastify'
import { addressOf } from './known-paths.ts'

/** How applications connect, those in a browser too: no cookie counts here, and nobody's data is to be had. */
const forAnyOrigin = /^\/(?:v1\/)?\.well-known\/|^\/v1\/(?:jwks|register|revoke|token)(?:\?|$)/

/**
 * Scripts of any page may use these addresses and read their answers, faults included. A browser asks for that before
 * it sends JSON or a header of its own, which gets its answer here; tells whether it did.
 */
export function letAnyOrigin(request: FastifyRequest, reply: FastifyReply): boolean {
  const address = forAnyOrigin.test(request.url) ? addressOf(request) : undefined
  if (!address) return false
  reply.header('access-control-allow-origin', '*')
  if (request.method !== 'OPTIONS') return false
  reply
    .code(204)
    .headers({
      'access-control-allow-methods': address.methods.join(', '),
      // The star does not stand for that one.
      'access-control-allow-headers': '*, authorization',
      'access-control-max-age': 600,
    })
    .send()
  return true
}
