import { createHmac } from 'node:crypto'
import { type DialedCall, transcript, type VoiceProtocol, VoiceServer } from './voice-server.ts'

export const retellKey = 'key_of_retell'
export const retellSettings = { agentId: 'agent_front_desk' }
const number = '+442079460018'

type DialRequestBody = {
  from_number: string
  to_number: string
  metadata: { overture_call_id: string }
  retell_llm_dynamic_variables: Record<string, string>
  agent_override: { agent: { webhook_url?: string } }
}
type ListBody = { filter_criteria: { metadata: [{ key: string; value: string }] } }

/** Retell's API as documented, with one agent and one number. */
const protocol: VoiceProtocol = {
  isAuthorized: ({ headers }) => headers.authorization === `Bearer ${retellKey}`,
  parseDialRequest: ({ method, path, body }) => {
    if (method !== 'POST' || path !== '/v2/create-phone-call') return undefined
    const { from_number, to_number, metadata, agent_override } = body as DialRequestBody
    const url = agent_override.agent.webhook_url
    return {
      reference: metadata.overture_call_id,
      from: from_number,
      to: to_number,
      callback: url ? { url, secret: retellKey } : undefined,
    }
  },
  describe,
  answer: ({ method, path, body }, calls) => {
    const last = decodeURIComponent(path.split('/').at(-1)!)
    if (path === `/get-agent/${retellSettings.agentId}`)
      return { status: 200, json: { agent_id: last, response_engine: { type: 'retell-llm', llm_id: 'llm' } } }
    if (path.startsWith('/get-phone-number/') && last === number)
      return { status: 200, json: { phone_number: number } }
    if (path.startsWith('/v2/get-call/')) {
      const call = calls.find(({ id }) => id === last)
      if (call) return { status: 200, json: describe(call) }
    }
    if (method === 'POST' && path === '/v3/list-calls') {
      const [{ value }] = (body as ListBody).filter_criteria.metadata
      const items = calls.filter(({ reference }) => reference === value).map(describeBriefly)
      return { status: 200, json: { items, has_more: false } }
    }
    return { status: 404, json: { status: 'error', message: 'Not found' } }
  },
  callbacks: (call, now) => {
    const signed = (event: string, described: object) => {
      const body = JSON.stringify({ event, call: described })
      const digest = createHmac('sha256', retellKey).update(`${body}${now.getTime()}`).digest('hex')
      return {
        headers: {
          'content-type': 'application/json',
          'x-retell-signature': `v=${now.getTime()},d=${digest}`,
        },
        body,
      }
    }
    if (call.status !== 'ended') return [signed('call_started', describe(call))]
    const { call_analysis, ...ended } = describe(call) as Record<string, unknown>
    return [signed('call_ended', ended), signed('call_analyzed', { ...ended, call_analysis })]
  },
}

/** Returns a call as lists contain it, without long fields. */
function describeBriefly(call: DialedCall): object {
  const { transcript_object, recording_url, ...listed } = describe(call) as Record<string, unknown>
  return listed
}

function describe(call: DialedCall): object {
  const { metadata, retell_llm_dynamic_variables } = call.body as DialRequestBody
  return {
    call_id: call.id,
    agent_id: retellSettings.agentId,
    agent_version: 1,
    call_type: 'phone_call',
    direction: 'outbound',
    from_number: call.from,
    to_number: call.to,
    call_status: { dialing: 'registered', in_progress: 'ongoing', ended: 'ended' }[call.status],
    ...{ metadata, retell_llm_dynamic_variables },
    ...(call.startedAt && { start_timestamp: call.startedAt.getTime() }),
    ...(call.endedAt && {
      end_timestamp: call.endedAt.getTime(),
      disconnection_reason: 'user_hangup',
      recording_url: call.recordingUrl,
      call_cost: { combined_cost: 12.34, product_costs: [] },
      call_analysis: {
        call_summary: 'Asked for the details.',
        custom_analysis_data: { wantsDetails: true, ...call.extracted },
        in_voicemail: false,
      },
      transcript_object: transcript.map(({ role, text, at }) => ({
        role: role === 'person' ? 'user' : 'agent',
        content: text,
        words: [{ word: text.split(' ')[0], start: at, end: at + 0.3 }],
      })),
    }),
  }
}

export const openRetellServer = (): Promise<VoiceServer> => VoiceServer.open(protocol)
