import type { FastifyReply } from 'fastify'
import { unavailable } from '../../kernel/errors.ts'

/**
 * Returns a function that registers a request, or throws ServiceUnavailable if too many are running in total or for the
 * key. Finished requests are removed on the next call, because Node emits no event when the connection was already
 * closed, nor for a response queued behind another.
 */
export function limitConcurrency(
  limit: number,
  errorMessage: string,
  limitPerKey = limit,
): (reply: FastifyReply, key?: string) => void {
  const active = new Map<FastifyReply['raw'], string | undefined>()
  return ({ raw }, key) => {
    for (const response of active.keys()) if (isFinished(response)) active.delete(response)
    const sameKey = active.values().filter(other => other === key)
    if (active.size >= limit || sameKey.toArray().length >= limitPerKey) throw unavailable(errorMessage)
    active.set(raw, key)
  }
}

/** Returns whether the body was read and the response sent, or the connection was closed. */
const isFinished = ({ req, writableEnded, destroyed }: FastifyReply['raw']): boolean =>
  req.socket.destroyed || (req.complete && (writableEnded || destroyed))
