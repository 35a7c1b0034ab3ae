import { z } from 'zod'
import { composeFirstMessage } from './first-message.ts'
import { parseSignedBody } from './parse-reported.ts'
import type {
  Callback,
  CallbackReport,
  CallTransfer,
  DialRequest,
  PlacedCall,
  VoiceProvider,
} from './provider.ts'
import {
  describeFailure,
  type ProviderAccess,
  requestDial,
  requestProvider,
  requireJson,
} from './request-provider.ts'
import { getSingleHeader, isEqualSecret, isFreshTimestamp } from './signatures.ts'
import { parseVapiCall, toVapiEvents, type VapiCall } from './vapi-call.ts'
import { composeVoicemailMessage, toPromptVariables } from './variables.ts'

/**
 * Settings of Vapi (docs.vapi.ai), whose API is used as documented in November 2026: POST /call, GET /call,
 * GET /call/{id}, and the server messages status-update, end-of-call-report and transfer-destination-request.
 */
export type VapiSettings = { assistantId: string; phoneNumberId: string }

const SECRET_HEADER = 'x-vapi-secret'
/** The search for a call starts and ends this long before and after `placedAt`, because Vapi's clock may differ. */
const SEARCH_WINDOW_MS = 5 * 60_000
const PAGE_SIZE = 100
const MAX_PAGES = 20

export const openVapi = (
  settings: VapiSettings,
  access: ProviderAccess,
  callback: { url: string | undefined; secret: string },
): VoiceProvider => ({
  placeCall: async (request, _at, signal) => {
    const response = await requestDial(access, '/call', {
      body: toDialBody(settings, request, callback),
      signal,
    })
    return { providerCallId: parseVapiCall(response).id }
  },
  findCall: async (call, _now, signal) => {
    const found = await findVapiCall(settings, access, call, signal)
    return found && { providerCallId: found.id, events: toVapiEvents(found) }
  },
  findProblem: (from, signal) => findVapiProblem(settings, access, from, signal),
  parseCallback: request => parseVapiCallback(request, callback.secret),
})

/** Builds the request. It contains the callback secret, so that nothing has to be configured in Vapi. */
const toDialBody = (
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
      variableValues: toPromptVariables(request),
      firstMessage: composeFirstMessage(request),
      firstMessageMode: 'assistant-speaks-first',
      ...(voicemail && { voicemailMessage: voicemail, voicemailDetection: { provider: 'vapi' } }),
      ...(request.maxDurationSeconds && { maxDurationSeconds: request.maxDurationSeconds }),
      ...(request.callTransfer && {
        'tools:append': [{ type: 'transferCall', destinations: [toDestination(request.callTransfer)] }],
      }),
      ...(callback.url && {
        server: { url: callback.url, headers: { [SECRET_HEADER]: callback.secret } },
        serverMessages: ['status-update', 'end-of-call-report', 'transfer-destination-request'],
      }),
    },
  }
}

const toDestination = ({ phoneNumber, description, message, messageToReceiver }: CallTransfer): object => ({
  type: 'number',
  number: phoneNumber,
  ...(description && { description }),
  ...(message && { message }),
  ...(messageToReceiver && {
    transferPlan: { mode: 'warm-transfer-say-message', message: messageToReceiver },
  }),
})

/** Finds a call by Vapi's ID, else among the number's calls at that time, because Vapi can't filter by metadata. */
async function findVapiCall(
  { phoneNumberId }: VapiSettings,
  access: ProviderAccess,
  { callId, providerCallId, placedAt }: PlacedCall,
  signal: AbortSignal,
): Promise<VapiCall | undefined> {
  if (providerCallId) {
    const response = await requestProvider(access, `/call/${encodeURIComponent(providerCallId)}`, { signal })
    if (response.status === 404) return undefined
    return parseVapiCall(requireJson(response))
  }
  let until = new Date(placedAt.getTime() + SEARCH_WINDOW_MS).toISOString()
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = new URLSearchParams({
      phoneNumberId,
      createdAtGe: new Date(placedAt.getTime() - SEARCH_WINDOW_MS).toISOString(),
      createdAtLt: until,
      limit: String(PAGE_SIZE),
    })
    const response = requireJson(await requestProvider(access, `/call?${query}`, { signal }))
    const calls = z.array(z.unknown()).parse(response).map(parseVapiCall)
    const ours = calls.find(call => call.reference === callId)
    if (ours) return ours
    const [oldest] = calls.map(({ createdAt = '' }) => createdAt).sort()
    if (calls.length < PAGE_SIZE || !oldest || oldest >= until) return undefined
    until = oldest
  }
  throw new Error('the call is not among the latest calls of its number')
}

async function findVapiProblem(
  { assistantId, phoneNumberId }: VapiSettings,
  access: ProviderAccess,
  from: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const assistant = await requestProvider(access, `/assistant/${encodeURIComponent(assistantId)}`, { signal })
  if (assistant.status === 404) return 'Vapi has no assistant with the ID in vapi.assistantId.'
  if (assistant.status >= 300) return describeFailure(assistant)
  const number = await requestProvider(access, `/phone-number/${encodeURIComponent(phoneNumberId)}`, {
    signal,
  })
  if (number.status === 404) return 'Vapi has no phone number with the ID in vapi.phoneNumberId.'
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

/** Authenticates a callback by the shared secret: Vapi signs neither messages nor their timestamps. */
function parseVapiCallback({ headers, body, now }: Callback, secret: string): CallbackReport | undefined {
  if (!isEqualSecret(getSingleHeader(headers[SECRET_HEADER]), secret)) return undefined
  const { message: report } = parseSignedBody(message, body)
  if (report.timestamp !== undefined && !isFreshTimestamp(report.timestamp, now)) return undefined
  if (!report.call) return { events: [] }
  const { type, status, call, ...fields } = report
  // An end-of-call report contains the call's fields alongside the call itself.
  const known = parseVapiCall({
    ...call,
    ...(type === 'end-of-call-report' && { ...fields, status: 'ended' }),
  })
  const ids = { callId: known.reference, providerCallId: known.id }
  switch (type) {
    case 'status-update':
      // A call's end is taken from the end-of-call report that follows, which has all details.
      return {
        ...ids,
        events: status === 'ended' ? [] : toVapiEvents({ ...known, status: String(status) }, now),
      }
    case 'end-of-call-report':
      return { ...ids, events: toVapiEvents(known, now) }
    case 'transfer-destination-request':
      return {
        ...ids,
        events: [],
        answerTransfer: transfer =>
          transfer
            ? { destination: toDestination(transfer) }
            : { error: 'This call has no transfer destination.' },
      }
    default:
      return { ...ids, events: [] }
  }
}
