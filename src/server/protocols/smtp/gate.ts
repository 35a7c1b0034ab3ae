import { Readable } from 'node:stream'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
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
   * Asked once, when the server has said 354 and everything but the last chunk is on its way.
   * `true` releases the rest. Must be bounded in time by whoever makes it.
   */
  gate: () => Promise<boolean>
}

const chunkBytes = 16 * 1024
/** Most mails whole. A connection may send so many before the network has answered (RFC 6928), so the dot is as soon there. */
const heldBytes = 8 * 1024
const flushPollMs = 5

/**
 * Sends one message with its end held back until the gate allows it. A server must drop a message
 * whose final dot never came (RFC 5321 section 4.1.1.4), so until then nothing has happened.
 * Answers only after the gate has: no effect of the gate comes later than the answer. What the gate
 * throws is thrown on, with nothing delivered.
 */
export async function sendThroughGate(
  connection: SMTPConnection,
  { envelope, bytes, gate }: GatedMessage,
  where: string,
): Promise<SendResult> {
  let phase = 'envelope' as SmtpPhase
  /** Known in the very turn in which the library answers: nothing may be released after it. */
  let endedIn: SmtpPhase | undefined
  let verdict: Promise<Verdict> | undefined
  const heldFrom = Math.max(0, bytes.length - heldBytes)
  let position = 0

  const askGate = async (): Promise<Verdict> => {
    await failpoint('smtp.streamed', where)
    await flushed(connection)
    await failpoint('smtp.flushed', where)
    if (connection.destroyed) return 'not asked'
    phase = 'gate'
    const isAllowed = await gate()
    await failpoint('smtp.allowed', where)
    if (!isAllowed) connection.close()
    else if (!endedIn && !connection.destroyed) {
      phase = 'end'
      const socket = connection._socket
      if (socket) socket.cork()
      message.push(bytes.subarray(heldFrom))
      message.push(null)
      // By then the library has put the dot behind it, and both are one write.
      await turn()
      if (socket) socket.uncork()
      await failpoint('smtp.released', where)
    }
    return isAllowed ? 'allowed' : 'refused'
  }

  // Without a buffer of its own it is read no faster than the server takes it, and not before 354
  const message = new Readable({
    highWaterMark: 0,
    read() {
      if (phase === 'envelope') phase = 'body'
      if (position < heldFrom) {
        const from = position
        position = Math.min(heldFrom, from + chunkBytes)
        message.push(bytes.subarray(from, position))
      } else {
        verdict ??= askGate().catch((thrown: unknown) => {
          connection.close()
          return { thrown }
        })
      }
    },
  })

  const delivery = await awaitCallback<SMTPConnection.SentMessageInfo>(connection, done =>
    connection.send({ ...envelope, size: bytes.length }, message, (error, info) => {
      endedIn = phase
      done(error, info)
    }),
  ).then(
    info => ({ info }),
    (error: NodemailerError) => ({ error }),
  )
  await failpoint('smtp.answered', where)
  const lastPhase = endedIn ?? phase
  // Answered before the end: whatever the server said, the two are no longer in step
  if (lastPhase === 'body' || lastPhase === 'gate') connection.close()

  const decided = await verdict
  if (typeof decided === 'object') throw decided.thrown
  if (decided === 'refused') return { outcome: 'withheld' }
  return 'error' in delivery
    ? toFailedResult(delivery.error, lastPhase, where)
    : endingOfAnswer(delivery.info, lastPhase, where)
}

type Verdict = 'not asked' | 'refused' | 'allowed' | { thrown: unknown }

/** Until the system has taken what was written, so that little lies between the gate and the dot. */
async function flushed(connection: SMTPConnection): Promise<void> {
  await turn()
  while (!connection.destroyed && connection._socket && connection._socket.writableLength > 0) {
    await sleep(flushPollMs)
  }
}

function endingOfAnswer(info: SMTPConnection.SentMessageInfo, phase: SmtpPhase, where: string): SendResult {
  const reply = parseReply(info.response)
  if (phase !== 'end') {
    return { outcome: 'server_failed', phase, reason: `${where} answered before the message was complete` }
  }
  if (!reply) {
    return { outcome: 'unknown', phase, reason: `${where} gave an answer that is no SMTP reply` }
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
