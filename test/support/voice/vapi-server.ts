import { type DialedCall, transcript, type VoiceProtocol, VoiceServer } from './voice-server.ts'

export const vapiKey = 'vapi-private-key'
export const vapiSettings = { assistantId: 'asst-front-desk', phoneNumberId: 'pn-london' }
const number = '+442079460018'

type DialRequestBody = {
  name: string
  customer: { number: string }
  assistantOverrides: {
    metadata: { overtureCallId: string }
    server?: { url: string; headers: { 'x-vapi-secret': string } }
  }
}

/** Vapi's API as documented, with one assistant and one number. */
const protocol: VoiceProtocol = {
  isAuthorized: ({ headers }) => headers.authorization === `Bearer ${vapiKey}`,
  parseDialRequest: ({ method, path, body }) => {
    if (method !== 'POST' || path !== '/call') return undefined
    const { customer, assistantOverrides } = body as DialRequestBody
    const { server, metadata } = assistantOverrides
    return {
      reference: metadata.overtureCallId,
      from: number,
      to: customer.number,
      callback: server && { url: server.url, secret: server.headers['x-vapi-secret'] },
    }
  },
  describe,
  answer: ({ path, query }, calls) => {
    const [, kind, id] = path.split('/')
    if (kind === 'assistant' && id === vapiSettings.assistantId) return { status: 200, json: { id } }
    if (kind === 'phone-number' && id === vapiSettings.phoneNumberId)
      return { status: 200, json: { id, number } }
    if (kind === 'call' && id) {
      const call = calls.find(each => each.id === id)
      if (call) return { status: 200, json: describe(call) }
    }
    if (kind === 'call' && !id) return { status: 200, json: list(query, calls) }
    return { status: 404, json: { message: `Couldn't find ${kind} for id ${id}.`, statusCode: 404 } }
  },
  callbacks: (call, now) => {
    const message = (fields: object) => ({
      headers: { 'content-type': 'application/json', 'x-vapi-secret': call.callback?.secret ?? '' },
      body: JSON.stringify({ message: { timestamp: now.getTime(), call: withoutEnd(call), ...fields } }),
    })
    if (call.status !== 'ended') return [message({ type: 'status-update', status: 'in-progress' })]
    const { id, ...report } = describe(call) as Record<string, unknown>
    return [
      message({ type: 'status-update', status: 'ended', endedReason: 'customer-ended-call' }),
      message({ ...report, type: 'end-of-call-report', status: undefined }),
    ]
  },
}

/** Returns calls newest first, up to the requested limit. */
const list = (query: URLSearchParams, calls: DialedCall[]): object[] =>
  calls
    .filter(
      ({ createdAt }) =>
        createdAt >= new Date(query.get('createdAtGe')!) && createdAt < new Date(query.get('createdAtLt')!),
    )
    .toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
    .slice(0, Number(query.get('limit') ?? 100))
    .map(describe)

const withoutEnd = (call: DialedCall): object => ({
  id: call.id,
  orgId: 'org',
  type: 'outboundPhoneCall',
  name: (call.body as DialRequestBody).name,
  createdAt: call.createdAt.toISOString(),
  assistantOverrides: (call.body as DialRequestBody).assistantOverrides,
  ...(call.startedAt && { startedAt: call.startedAt.toISOString() }),
})

function describe(call: DialedCall): object {
  return {
    ...withoutEnd(call),
    status: { dialing: 'queued', in_progress: 'in-progress', ended: 'ended' }[call.status],
    ...(call.endedAt && {
      endedAt: call.endedAt.toISOString(),
      endedReason: 'customer-ended-call',
      cost: 0.1234,
      analysis: {
        summary: 'Asked for the details.',
        structuredData: { wantsDetails: true, ...call.extracted },
      },
      artifact: {
        recordingUrl: call.recordingUrl,
        messages: [
          { role: 'system', message: 'You are a front desk.', secondsFromStart: 0 },
          ...transcript.map(({ role, text, at }) => ({
            role: role === 'person' ? 'user' : 'bot',
            message: text,
            secondsFromStart: at,
          })),
        ],
      },
    }),
  }
}

export const openVapiServer = (): Promise<VoiceServer> => VoiceServer.open(protocol)
