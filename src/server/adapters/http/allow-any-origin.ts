import type { FastifyReply, FastifyRequest } from 'fastify'
import { findKnownPath } from './known-paths.ts'

/** OAuth endpoints, which clients also call from browsers. They read no cookie and return no account data. */
const forAnyOrigin = /^\/(?:v1\/)?\.well-known\/|^\/v1\/(?:jwks|register|revoke|token)(?:\?|$)/

/**
 * Allows scripts from any origin to call the OAuth endpoints and read their responses, errors included.
 * Returns true if it has answered a preflight request.
 */
export function allowAnyOrigin(request: FastifyRequest, reply: FastifyReply): boolean {
  const path = forAnyOrigin.test(request.url) ? findKnownPath(request) : undefined
  if (!path) return false
  reply.header('access-control-allow-origin', '*')
  if (request.method !== 'OPTIONS') return false
  reply
    .code(204)
    .headers({
      'access-control-allow-methods': path.methods.join(', '),
      // `*` does not include `authorization`.
      'access-control-allow-headers': '*, authorization',
      'access-control-max-age': 600,
    })
    .send()
  return true
}
