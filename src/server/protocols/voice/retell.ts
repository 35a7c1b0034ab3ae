import { z } from 'zod'
import { composeFirstMessage } from './first-message.ts'
import { parseSignedBody } from './parse-reported.ts'
import type { Callback, CallbackReport, DialRequest, PlacedCall, VoiceProvider } from './provider.ts'
import {
  describeFailure,
  type ProviderAccess,
  requestDial,
  requestProvider,
  requireJson,
} from './request-provider.ts'
import { CALL_ID_KEY, parseRetellCall, type RetellCall, toRetellEvents } from './retell-call.ts'
import { getSingleHeader, hmac, isEqualSecret, isFreshTimestamp } from './signatures.ts'
import { composeVoicemailMessage, toTextVariables } from './variables.ts'

/**
 * Settings of Retell (docs.retellai.com), whose API is used as documented in November 2026:
 * POST /v2/create-phone-call, GET /v2/get-call/{id}, POST /v3/list-calls, and the webhooks call_started, call_ended and
 * call_analyzed.
 */
export type RetellSettings = { agentId: string }

export const openRetell = (
  settings: RetellSettings,
  access: ProviderAccess,
  callback: { url: string | undefined; secret: string },
): VoiceProvider => ({
  placeCall: async (request, _at, signal) => {
    const body = toDialBody(settings, request, callback.url)
    return {
      providerCallId: parseRetellCall(await requestDial(access, '/v2/create-phone-call', { body, signal }))
        .call_id,
    }
  },
  findCall: async (call, now, signal) => {
    const found = await findRetellCall(access, call, signal)
    return found && { providerCallId: found.call_id, events: toRetellEvents(found, now) }
  },
  findProblem: (from, signal) => findRetellProblem(settings, access, from, signal),
  // Retell signs with an API key, by default the one that we use. A callback secret is another API key of the account.
  parseCallback: request => parseRetellCallback(request, callback.secret || access.apiKey),
})

const toDialBody = (
  { agentId }: RetellSettings,
  request: DialRequest,
  callbackUrl: string | undefined,
): object => {
  const voicemail = composeVoicemailMessage(request)
  const { callTransfer, maxDurationSeconds } = request
  return {
    from_number: request.from,
    to_number: request.to,
    override_agent_id: agentId,
    metadata: { [CALL_ID_KEY]: request.callId },
    retell_llm_dynamic_variables: {
      ...toTextVariables(request),
      ...(callTransfer && {
        transfer_number: callTransfer.phoneNumber,
        transfer_when: callTransfer.description ?? '',
        transfer_message: callTransfer.message ?? '',
        transfer_message_to_receiver: callTransfer.messageToReceiver ?? '',
      }),
    },
    agent_override: {
      agent: {
        ...(voicemail && { voicemail_option: { action: { type: 'static_text', text: voicemail } } }),
        ...(maxDurationSeconds && { max_call_duration_ms: maxDurationSeconds * 1000 }),
        ...(callbackUrl && {
          webhook_url: callbackUrl,
          webhook_events: ['call_started', 'call_ended', 'call_analyzed'],
        }),
      },
      retell_llm: { start_speaker: 'agent', begin_message: composeFirstMessage(request) },
    },
  }
}

/** Finds a call by Retell's ID, else by ours. Lists of calls omit transcripts, so the call itself is fetched. */
async function findRetellCall(
  access: ProviderAccess,
  { callId, providerCallId }: PlacedCall,
  signal: AbortSignal,
): Promise<RetellCall | undefined> {
  const knownId = providerCallId ?? (await findId(access, callId, signal))
  if (!knownId) return undefined
  const response = await requestProvider(access, `/v2/get-call/${encodeURIComponent(knownId)}`, { signal })
  return response.status === 404 ? undefined : parseRetellCall(requireJson(response))
}

async function findId(
  access: ProviderAccess,
  callId: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const body = {
    filter_criteria: { metadata: [{ type: 'string', op: 'eq', key: CALL_ID_KEY, value: callId }] },
    limit: 10,
  }
  const response = await requestProvider(access, '/v3/list-calls', { method: 'POST', body, signal })
  const { items } = z.looseObject({ items: z.array(z.unknown()) }).parse(requireJson(response))
  return items.map(parseRetellCall).find(({ metadata }) => metadata?.[CALL_ID_KEY] === callId)?.call_id
}

async function findRetellProblem(
  { agentId }: RetellSettings,
  access: ProviderAccess,
  from: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const agent = await requestProvider(access, `/get-agent/${encodeURIComponent(agentId)}`, { signal })
  if (agent.status === 404) return 'Retell has no agent with the ID in retell.agentId.'
  if (agent.status >= 300) return describeFailure(agent)
  const kind = z.looseObject({ response_engine: z.looseObject({ type: z.string() }) }).safeParse(agent.json)
  if (kind.success && kind.data.response_engine.type !== 'retell-llm') {
    return 'The agent must be a single-prompt or multi-prompt agent: other agents do not accept a first message for each call. Choose another agent.'
  }
  const number = await requestProvider(access, `/get-phone-number/${encodeURIComponent(from)}`, { signal })
  if (number.status === 404)
    return `Retell has no phone number ${from}. Buy or import it in Retell, or set another fromNumber.`
  return describeFailure(number)
}

const webhook = z.looseObject({ event: z.string(), call: z.looseObject({ call_id: z.string() }) })

/** Verifies the signature `v=<milliseconds>,d=<hex>`, an HMAC of the body followed by the milliseconds. */
function parseRetellCallback({ headers, body, now }: Callback, secret: string): CallbackReport | undefined {
  const [, at, digest] =
    /^v=(\d{1,15}),d=([\da-f]{64})$/.exec(getSingleHeader(headers['x-retell-signature'])) ?? []
  if (!at || !digest || !isEqualSecret(digest, hmac(secret, body + at, 'hex'))) return undefined
  if (!isFreshTimestamp(Number(at), now)) return undefined
  const { event, call } = parseSignedBody(webhook, body)
  const report = parseRetellCall(call)
  return {
    callId: report.metadata?.[CALL_ID_KEY],
    providerCallId: report.call_id,
    events: ['call_started', 'call_ended', 'call_analyzed'].includes(event)
      ? toRetellEvents(report, now)
      : [],
  }
}
