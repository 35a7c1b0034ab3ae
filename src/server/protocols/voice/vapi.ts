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
import type {
  Callback,
  CallbackReport,
  CallTransfer,
  DialRequest,
  PlacedCall,
  VoiceProvider,
} from './provider.ts'
import { getSingleHeader, isEqualSecret, isFreshTimestamp } from './signatures.ts'
import { parseVapiCall, toVapiEvents, type VapiCall } from './vapi-call.ts'
import { composeVoicemailMessage, toVariables } from './variables.ts'

/**
 * Vapi (docs.vapi.ai), by its API reference and server events of November 2026: POST /call, GET /call, GET /call/{id},
 * and the server messages status-update, end-of-call-report and transfer-destination-request.
 */
export type VapiSettings = { assistantId: string; phoneNumberId: string }

const SECRET_HEADER = 'x-vapi-secret'
/** A call is looked for among those made from so long before to so long after it was placed, by their clock. */
const LOOK_AROUND_MS = 5 * 60_000
const PAGE = 100
const MAX_PAGES = 20

export const openVapi = (
  settings: VapiSettings,
  access: ProviderAccess,
  callback: { url: string | undefined; secret: string },
): VoiceProvider => ({
  placeCall: async (request, _at, signal) => {
    const answer = await requestDial(access, '/call', { body: dialing(settings, request, callback), signal })
    return { providerCallId: parseVapiCall(answer).id }
  },
  findCall: async (call, _now, signal) => {
    const found = await findVapiCall(settings, access, call, signal)
    return found && { providerCallId: found.id, events: toVapiEvents(found) }
  },
  findProblem: (from, signal) => findVapiFault(settings, access, from, signal),
  parseCallback: given => readVapiCallback(given, callback.secret),
})

/** The secret goes with the call, so that nothing has to be set up at Vapi for its messages. */
const dialing = (
  { assistantId, phoneNumberId }: VapiSettings,
  request: DialRequest,
  callback: { url: string | undefined; secret: string },
): object => {
  const voicemail = composeVoicemailMessage(request)
  return {
    name: request.callId,
    assistantId,
    phoneNumberId,
    customer: { number: request.to, ...(request.personName && { name: request.personName.slice(0, 40) }) },
    assistantOverrides: {
      metadata: { overtureCallId: request.callId },
      variableValues: toVariables(request),
      firstMessage: composeFirstMessage(request),
      firstMessageMode: 'assistant-speaks-first',
      ...(voicemail && { voicemailMessage: voicemail, voicemailDetection: { provider: 'vapi' } }),
      ...(request.maxDurationSeconds && { maxDurationSeconds: request.maxDurationSeconds }),
      ...(request.callTransfer && {
        'tools:append': [{ type: 'transferCall', destinations: [destination(request.callTransfer)] }],
      }),
      ...(callback.url && {
        server: { url: callback.url, headers: { [SECRET_HEADER]: callback.secret } },
        serverMessages: ['status-update', 'end-of-call-report', 'transfer-destination-request'],
      }),
    },
  }
}

const destination = ({ phoneNumber, description, message, messageToReceiver }: CallTransfer): object => ({
  type: 'number',
  number: phoneNumber,
  ...(description && { description }),
  ...(message && { message }),
  ...(messageToReceiver && {
    transferPlan: { mode: 'warm-transfer-say-message', message: messageToReceiver },
  }),
})

/** By its id, else among the calls of that time from that number: Vapi's list knows no filter by metadata. */
async function findVapiCall(
  { phoneNumberId }: VapiSettings,
  access: ProviderAccess,
  { callId, providerCallId, placedAt }: PlacedCall,
  signal: AbortSignal,
): Promise<VapiCall | undefined> {
  if (providerCallId) {
    const answer = await requestProvider(access, `/call/${encodeURIComponent(providerCallId)}`, { signal })
    if (answer.status === 404) return undefined
    return parseVapiCall(requireJson(answer))
  }
  let until = new Date(placedAt.getTime() + LOOK_AROUND_MS).toISOString()
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = new URLSearchParams({
      phoneNumberId,
      createdAtGe: new Date(placedAt.getTime() - LOOK_AROUND_MS).toISOString(),
      createdAtLt: until,
      limit: String(PAGE),
    })
    const answer = requireJson(await requestProvider(access, `/call?${query}`, { signal }))
    const calls = z.array(z.unknown()).parse(answer).map(parseVapiCall)
    const ours = calls.find(call => call.reference === callId)
    if (ours) return ours
    const [oldest] = calls.map(({ createdAt = '' }) => createdAt).sort()
    if (calls.length < PAGE || !oldest || oldest >= until) return undefined
    until = oldest
  }
  throw new Error('the call is not among the latest of that number')
}

async function findVapiFault(
  { assistantId, phoneNumberId }: VapiSettings,
  access: ProviderAccess,
  from: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const assistant = await requestProvider(access, `/assistant/${encodeURIComponent(assistantId)}`, { signal })
  if (assistant.status === 404) return 'Vapi knows no assistant with the id in vapi.assistantId.'
  if (assistant.status >= 300) return describeFailure(assistant)
  const number = await requestProvider(access, `/phone-number/${encodeURIComponent(phoneNumberId)}`, {
    signal,
  })
  if (number.status === 404) return 'Vapi knows no phone number with the id in vapi.phoneNumberId.'
  if (number.status >= 300) return describeFailure(number)
  const known = z.object({ number: z.string().max(50) }).safeParse(number.json)
  return known.success && known.data.number !== from
    ? `The number in vapi.phoneNumberId is ${known.data.number}. Set it as fromNumber.`
    : undefined
}

const message = z.object({
  message: z.looseObject({
    type: z.string(),
    timestamp: z.number().optional(),
    call: z.looseObject({ id: z.string().min(1).max(200) }).optional(),
  }),
})

/** Vapi signs nothing but shows a secret; the hour of a message is its own word. */
function readVapiCallback({ headers, body, now }: Callback, secret: string): CallbackReport | undefined {
  if (!isEqualSecret(getSingleHeader(headers[SECRET_HEADER]), secret)) return undefined
  const { message: told } = parseSignedBody(message, body)
  if (told.timestamp !== undefined && !isFreshTimestamp(told.timestamp, now)) return undefined
  if (!told.call) return { events: [] }
  const { type, status, call, ...report } = told
  // What belongs to the call stands beside it in a report.
  const known = parseVapiCall({
    ...call,
    ...(type === 'end-of-call-report' && { ...report, status: 'ended' }),
  })
  const about = { callId: known.reference, providerCallId: known.id }
  switch (type) {
    case 'status-update':
      // Its end is told whole by the report that follows.
      return {
        ...about,
        events: status === 'ended' ? [] : toVapiEvents({ ...known, status: String(status) }, now),
      }
    case 'end-of-call-report':
      return { ...about, events: toVapiEvents(known, now) }
    case 'transfer-destination-request':
      return {
        ...about,
        events: [],
        answerTransfer: transfer =>
          transfer
            ? { destination: destination(transfer) }
            : { error: 'This call is not to be handed over to anybody.' },
      }
    default:
      return { ...about, events: [] }
  }
}
