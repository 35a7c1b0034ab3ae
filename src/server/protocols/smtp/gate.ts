import { Readable } from 'node:stream'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type SMTPConnection from 'nodemailer/lib/smtp-connection'
import { failpoint } from '../../kernel/failpoints.ts'
import type { Envelope } from '../mime/compose.ts'
import { awaitCallback } from './connection.ts'
import {
  type NodemailerError,
  parseQueueId,
  parseReply,
  type SendResult,
  type SmtpPhase,
  toFailedResult,
} from './result.ts'

export type GatedMessage = {
  envelope: Envelope
  bytes: Buffer
  /**
   * Called once, after the server's reply 354 to DATA, when everything but the last chunk has been sent. `true`
   * releases the last chunk. Must settle within a bounded time.
   */
  gate: () => Promise<boolean>
}

const CHUNK_BYTES = 16 * 1024
/**
 * The size of the last chunk, which is held back. Most emails fit into this chunk, and the chunk fits into the initial
 * TCP window (RFC 6928), so that the final dot is not delayed.
 */
const HELD_BYTES = 8 * 1024
const FLUSH_POLL_MS = 5

/**
 * Sends one message with its end held back until the gate allows it. A server must discard a message without its final
 * dot (RFC 5321 section 4.1.1.4), so until then nothing is delivered. Resolves only after the gate has settled, so that
 * the gate has no effect once the result is known. Delivers nothing and rethrows the error if the gate throws.
 * `finalReplyMs` is the time limit for the reply to the final dot; it defaults to the limit for other replies.
 */
export async function sendThroughGate(
  connection: SMTPConnection,
  { envelope, bytes, gate }: GatedMessage,
  server: string,
  { finalReplyMs }: { finalReplyMs?: number } = {},
): Promise<SendResult> {
  let phase = 'envelope' as SmtpPhase
  /**
   * The phase in which the server replied. Set in the same turn as the reply: nothing may be released after a reply.
   */
  let repliedIn: SmtpPhase | undefined
  let decision: Promise<Decision> | undefined
  const heldOffset = Math.max(0, bytes.length - HELD_BYTES)
  let position = 0

  const callGate = async (): Promise<Decision> => {
    await failpoint('smtp.streamed', server)
    await waitForFlush(connection)
    await failpoint('smtp.flushed', server)
    if (connection.destroyed) return 'not called'
    phase = 'gate'
    const isAllowed = await gate()
    await failpoint('smtp.allowed', server)
    if (!isAllowed) connection.close()
    else if (!repliedIn && !connection.destroyed) {
      phase = 'end'
      const socket = connection._socket
      if (socket && finalReplyMs) socket.setTimeout(finalReplyMs)
      if (socket) socket.cork()
      message.push(bytes.subarray(heldOffset))
      message.push(null)
      // By the next turn, the library has appended the final dot, so that the chunk and the dot go out in one write.
      await nextTurn()
      if (socket) socket.uncork()
      await failpoint('smtp.released', server)
    }
    return isAllowed ? 'allowed' : 'refused'
  }

  // Without a buffer, the message is read no faster than the server accepts it, and only after 354.
  const message = new Readable({
    highWaterMark: 0,
    read() {
      if (phase === 'envelope') phase = 'body'
      if (position < heldOffset) {
        const from = position
        position = Math.min(heldOffset, from + CHUNK_BYTES)
        message.push(bytes.subarray(from, position))
      } else {
        decision ??= callGate().catch((thrown: unknown) => {
          connection.close()
          return { thrown }
        })
      }
    },
  })

  const delivery = await awaitCallback<SMTPConnection.SentMessageInfo>(connection, done =>
    connection.send({ ...envelope, size: bytes.length }, message, (error, info) => {
      repliedIn = phase
      done(error, info)
    }),
  ).then(
    info => ({ info }),
    (error: NodemailerError) => ({ error }),
  )
  await failpoint('smtp.answered', server)
  const lastPhase = repliedIn ?? phase
  // The server replied before the end of the message: client and server are out of sync.
  if (lastPhase === 'body' || lastPhase === 'gate') connection.close()

  const outcome = await decision
  if (finalReplyMs && connection._socket) connection._socket.setTimeout(connection.options.socketTimeout!)
  if (typeof outcome === 'object') throw outcome.thrown
  if (outcome === 'refused') return { outcome: 'withheld' }
  return 'error' in delivery
    ? toFailedResult(delivery.error, lastPhase, server)
    : toResult(delivery.info, lastPhase, server)
}

type Decision = 'not called' | 'refused' | 'allowed' | { thrown: unknown }

/**
 * Waits until the kernel has accepted all written bytes, so that little time passes between the gate and the final dot.
 */
async function waitForFlush(connection: SMTPConnection): Promise<void> {
  await nextTurn()
  while (!connection.destroyed && connection._socket && connection._socket.writableLength > 0) {
    await sleep(FLUSH_POLL_MS)
  }
}

function toResult(info: SMTPConnection.SentMessageInfo, phase: SmtpPhase, server: string): SendResult {
  const reply = parseReply(info.response)
  if (phase !== 'end') {
    return { outcome: 'server_failed', phase, reason: `${server} replied before the message was complete` }
  }
  if (!reply) {
    return { outcome: 'unknown', phase, reason: `${server} sent an invalid SMTP reply` }
  }
  const queueId = parseQueueId(info.response)
  return {
    outcome: 'sent',
    reply,
    ...(queueId && { queueId }),
    ...(info.serverMessageId && { serverMessageId: info.serverMessageId }),
    refused: (info.rejectedErrors ?? []).map(error => {
      const refusal = error.response ? parseReply(error.response) : undefined
      return { address: error.recipient ?? '', ...(refusal && { reply: refusal }) }
    }),
  }
}
