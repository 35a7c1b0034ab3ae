import type { FastifyReply } from 'fastify'
import { unavailable } from '../../kernel/errors.ts'

/**
 * Limits concurrent requests, in total and per key. The returned function registers a request or throws
 * ServiceUnavailable. Finished requests are removed on the next call: Node emits no event for a connection that was closed
 * before, nor for a response queued behind another.
 */
export function limitConcurrency(
  most: number,
  refusal: string,
  mostOfKey = most,
): (reply: FastifyReply, key?: string) => void {
  const taken = new Map<FastifyReply['raw'], string | undefined>()
  return ({ raw }, key) => {
    for (const each of taken.keys()) if (isFinished(each)) taken.delete(each)
    const ofKey = taken.values().filter(other => other === key)
    if (taken.size >= most || ofKey.toArray().length >= mostOfKey) throw unavailable(refusal)
    taken.set(raw, key)
  }
}

/** True when the body was read and the response sent, or the connection is gone. */
const isFinished = ({ req, writableEnded, destroyed }: FastifyReply['raw']): boolean =>
  req.socket.destroyed || (req.complete && (writableEnded || destroyed))
