import type { FastifyReply } from 'fastify'
import { unavailable } from '../errors.ts'

/**
 * Room for so many requests at once; what it gives takes a place for one, or refuses it. Places are looked over when one
 * is asked for: Node tells no end of a connection that was closed before, nor of an answer that waits behind another.
 */
export function limitAtOnce(most: number, refusal: string): (reply: FastifyReply) => void {
  const taken = new Set<FastifyReply['raw']>()
  return ({ raw }) => {
    for (const each of taken) if (isOver(each)) taken.delete(each)
    if (taken.size >= most) throw unavailable(refusal)
    taken.add(raw)
  }
}

/** Answered with its body in, or its connection is gone. */
const isOver = ({ req, writableEnded, destroyed }: FastifyReply['raw']): boolean =>
  req.socket.destroyed || (req.complete && (writableEnded || destroyed))
