import type { FastifyReply } from 'fastify'
import { unavailable } from '../../kernel/errors.ts'

/**
 * Room for so many requests at once, and so many of one key; what it gives takes a place for one, or refuses it. Places
 * are looked over when one is asked for: Node tells no end of a connection that was closed before, nor of an answer that
 * waits behind another.
 */
export function limitAtOnce(
  most: number,
  refusal: string,
  mostOfKey = most,
): (reply: FastifyReply, key?: string) => void {
  const taken = new Map<FastifyReply['raw'], string | undefined>()
  return ({ raw }, key) => {
    for (const each of taken.keys()) if (isOver(each)) taken.delete(each)
    const ofKey = taken.values().filter(other => other === key)
    if (taken.size >= most || ofKey.toArray().length >= mostOfKey) throw unavailable(refusal)
    taken.set(raw, key)
  }
}

/** Answered with its body in, or its connection is gone. */
const isOver = ({ req, writableEnded, destroyed }: FastifyReply['raw']): boolean =>
  req.socket.destroyed || (req.complete && (writableEnded || destroyed))
