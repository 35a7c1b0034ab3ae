import { randomUUID } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { type DialedCall, transcript, type VoiceProtocol, VoiceServer } from './voice-server.ts'

export const httpKey = 'key of a voice stack'
export const httpCallbackSecret = `whsec_${Buffer.from('a signing secret of 32 bytes, yes').toString('base64')}`

type DialRequestBody = { callId: string; from: string; to: string; callbackUrl?: string }

/** The HTTP provider protocol of docs/voice-http.md. */
const protocol: VoiceProtocol = {
  isAuthorized: ({ headers }) => headers.authorization === `Bearer ${httpKey}`,
  parseDialRequest: ({ method, path, body }) => {
    if (method !== 'POST' || path !== '/calls') return undefined
    const { callId, from, to, callbackUrl } = body as DialRequestBody
    return {
      reference: callId,
      from,
      to,
      callback: callbackUrl ? { url: callbackUrl, secret: httpCallbackSecret } : undefined,
    }
  },
  describe,
  answer: ({ path }, calls) => {
    const call = calls.find(({ reference }) => path === `/calls/${reference}`)
    return call
      ? { status: 200, json: describe(call) }
      : { status: 404, json: { message: 'There is no such call.' } }
  },
  callbacks: (call, now) => {
    const [id, body] = [randomUUID(), JSON.stringify(describe(call))]
    return [
      {
        headers: {
          'content-type': 'application/json',
          'webhook-id': id,
          'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
          'webhook-signature': new Webhook(httpCallbackSecret).sign(id, now, body),
        },
        body,
      },
    ]
  },
}

function describe(call: DialedCall): object {
  return {
    id: call.id,
    callId: call.reference,
    status: call.status,
    startedAt: call.startedAt?.toISOString(),
    ...(call.endedAt && {
      outcome: call.outcome,
      endedAt: call.endedAt.toISOString(),
    }),
    ...(call.outcome === 'answered' && {
      endReason: 'person hung up',
      summary: 'Asked for the details.',
      transcript,
      recordingUrl: call.recordingUrl,
      extractedData: { wantsDetails: true, ...call.extracted },
      cost: { amount: 0.1234, currency: 'USD' },
    }),
  }
}

export const openHttpVoiceServer = (): Promise<VoiceServer> => VoiceServer.open(protocol)
