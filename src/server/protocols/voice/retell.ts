import { z } from 'zod'
import {
  describeFailure,
  type ProviderAccess,
  requestDial,
  requestProvider,
  requireJson,
} from './ask-provider.ts'
import { composeFirstMessage } from './first-words.ts'
import { parseSignedBody } from './parse-reported.ts'
import type { Callback, CallbackReport, DialRequest, PlacedCall, VoiceProvider } from './provider.ts'
import { parseRetellCall, REFERENCE, type RetellCall, toRetellEvents } from './retell-call.ts'
import { getSingleHeader, hmac, isEqualSecret, isFreshTimestamp } from './signatures.ts'
import { composeVoicemailMessage, toTextVariables } from './variables.ts'

/**
 * Retell (docs.retellai.com), by its API reference of November 2026: POST /v2/create-phone-call, GET /v2/get-call/{id},
 * POST /v3/list-calls, and the webhooks call_started, call_ended and call_analyzed.
 */
export type RetellSettings = { agentId: string }

export const openRetell = (
  settings: RetellSettings,
  access: ProviderAccess,
  callback: { url: string | undefined; secret: string },
): VoiceProvider => ({
  placeCall: async (request, _at, signal) => {
    const body = dialing(settings, request, callback.url)
    return {
      providerCallId: parseRetellCall(await requestDial(access, '/v2/create-phone-call', { body, signal }))
        .call_id,
    }
  },
  findCall: async (call, now, signal) => {
    const found = await findRetellCall(access, call, signal)
    return found && { providerCallId: found.call_id, events: toRetellEvents(found, now) }
  },
  findProblem: (from, signal) => findRetellFault(settings, access, from, signal),
  // It signs with an API key; a secret of its own is another of the account's keys.
  parseCallback: given => readRetellCallback(given, callback.secret || access.apiKey),
})

const dialing = (
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
    metadata: { [REFERENCE]: request.callId },
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

/** By its id, else by our reference; a list leaves transcripts out, so that each call is asked for by itself. */
async function findRetellCall(
  access: ProviderAccess,
  { callId, providerCallId }: PlacedCall,
  signal: AbortSignal,
): Promise<RetellCall | undefined> {
  const known = providerCallId ?? (await findId(access, callId, signal))
  if (!known) return undefined
  const answer = await requestProvider(access, `/v2/get-call/${encodeURIComponent(known)}`, { signal })
  return answer.status === 404 ? undefined : parseRetellCall(requireJson(answer))
}

async function findId(
  access: ProviderAccess,
  callId: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const body = {
    filter_criteria: { metadata: [{ type: 'string', op: 'eq', key: REFERENCE, value: callId }] },
    limit: 10,
  }
  const answer = await requestProvider(access, '/v3/list-calls', { method: 'POST', body, signal })
  const { items } = z.looseObject({ items: z.array(z.unknown()) }).parse(requireJson(answer))
  return items.map(parseRetellCall).find(({ metadata }) => metadata?.[REFERENCE] === callId)?.call_id
}

async function findRetellFault(
  { agentId }: RetellSettings,
  access: ProviderAccess,
  from: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const agent = await requestProvider(access, `/get-agent/${encodeURIComponent(agentId)}`, { signal })
  if (agent.status === 404) return 'Retell knows no agent with the id in retell.agentId.'
  if (agent.status >= 300) return describeFailure(agent)
  const kind = z.looseObject({ response_engine: z.looseObject({ type: z.string() }) }).safeParse(agent.json)
  if (kind.success && kind.data.response_engine.type !== 'retell-llm') {
    return 'The agent is not of the kind single or multi prompt, the only ones whose first words can be set for a call. Take another one.'
  }
  const number = await requestProvider(access, `/get-phone-number/${encodeURIComponent(from)}`, { signal })
  if (number.status === 404)
    return `Retell does not know the number ${from}. Buy or import it there, or set another fromNumber.`
  return describeFailure(number)
}

const webhook = z.looseObject({ event: z.string(), call: z.looseObject({ call_id: z.string() }) })

/** `v=<milliseconds>,d=<hex>`, the latter of the body and the milliseconds behind it. */
function readRetellCallback({ headers, body, now }: Callback, secret: string): CallbackReport | undefined {
  const [, at, digest] =
    /^v=(\d{1,15}),d=([\da-f]{64})$/.exec(getSingleHeader(headers['x-retell-signature'])) ?? []
  if (!at || !digest || !isEqualSecret(digest, hmac(secret, body + at, 'hex'))) return undefined
  if (!isFreshTimestamp(Number(at), now)) return undefined
  const { event, call } = parseSignedBody(webhook, body)
  const known = parseRetellCall(call)
  return {
    callId: known.metadata?.[REFERENCE],
    providerCallId: known.call_id,
    events: ['call_started', 'call_ended', 'call_analyzed'].includes(event) ? toRetellEvents(known, now) : [],
  }
}
