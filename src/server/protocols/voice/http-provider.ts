import { z } from 'zod'
import { callOutcomes } from '../../../contract/calls.ts'
import { composeFirstMessage } from './first-message.ts'
import {
  parseSignedBody,
  reportedAmount,
  reportedList,
  reportedRecord,
  reportedText,
  reportedTime,
  reportedUrl,
  toEndOfCall,
} from './parse-reported.ts'
import type { Callback, CallbackReport, CallEvent, DialRequest, VoiceProvider } from './provider.ts'
import {
  describeFailure,
  type ProviderAccess,
  requestDial,
  requestProvider,
  requireJson,
} from './request-provider.ts'
import { getSingleHeader, hmac, isEqualSecret, isFreshTimestamp } from './signatures.ts'
import { composeVoicemailMessage, toPromptVariables } from './variables.ts'

/** Settings of a voice stack that implements the two requests and the callback specified in docs/voice-http.md. */
export type HttpSettings = { baseUrl: string }

/** An ID that no call has, to check that the stack responds. */
const UNKNOWN_CALL_ID = '00000000-0000-0000-0000-000000000000'

export const openHttpProvider = (
  access: ProviderAccess,
  callback: { url: string | undefined; secret: string },
): VoiceProvider => ({
  placeCall: async (request, _at, signal) => {
    const headers = { 'idempotency-key': request.callId }
    const body = toDialBody(request, callback.url)
    return { providerCallId: call.parse(await requestDial(access, '/calls', { body, headers, signal })).id }
  },
  findCall: async ({ callId }, now, signal) => {
    const response = await requestProvider(access, `/calls/${callId}`, { signal })
    if (response.status === 404) return undefined
    const found = call.parse(requireJson(response))
    return { providerCallId: found.id, events: toEvents(found, now) }
  },
  findProblem: async (_from, signal) => {
    const response = await requestProvider(access, `/calls/${UNKNOWN_CALL_ID}`, { signal })
    if (response.status === 404) return undefined
    return describeFailure(response) ?? 'The provider must return 404 for an unknown call.'
  },
  parseCallback: request => parseHttpCallback(request, callback.secret),
})

const toDialBody = (request: DialRequest, callbackUrl: string | undefined): object => ({
  callId: request.callId,
  from: request.from,
  to: request.to,
  assistantName: request.assistantName,
  firstMessage: composeFirstMessage(request),
  voicemailMessage: composeVoicemailMessage(request),
  maxDurationSeconds: request.maxDurationSeconds,
  variables: toPromptVariables(request),
  callTransfer: request.callTransfer,
  callbackUrl,
})

const transcriptTurn = z.object({
  role: z.enum(['assistant', 'person']),
  text: z.string(),
  at: z.number().min(0).catch(0),
})

const call = z.looseObject({
  id: z.string().min(1).max(200),
  callId: z.string().max(100).optional().catch(undefined),
  status: z.enum(['dialing', 'in_progress', 'ended']),
  outcome: z.enum(callOutcomes).exclude(['refused', 'withdrawn']).optional(),
  startedAt: reportedTime,
  endedAt: reportedTime,
  endReason: reportedText(200),
  summary: reportedText(10_000),
  transcript: reportedList(transcriptTurn),
  recordingUrl: reportedUrl,
  extractedData: reportedRecord,
  cost: z
    .object({ amount: reportedAmount, currency: z.string().regex(/^[A-Z]{3}$/) })
    .optional()
    .catch(undefined),
})

function toEvents(report: z.output<typeof call>, now: Date): CallEvent[] {
  const { status, outcome, cost } = report
  const startedAt = report.startedAt ?? undefined
  if (status === 'in_progress') {
    return [{ type: 'status-update', status, happenedAt: startedAt ?? now }]
  }
  if (status !== 'ended') return []
  const { endReason, summary, transcript, recordingUrl, extractedData } = report
  return [
    toEndOfCall({
      outcome: outcome ?? 'failed',
      startedAt,
      endedAt: report.endedAt ?? startedAt ?? now,
      ...{ endReason, summary, transcript, recordingUrl, extractedData },
      cost: cost?.amount === undefined ? undefined : { amount: cost.amount, currency: cost.currency },
    }),
  ]
}

/** Verifies the Standard Webhooks 1.0 signature and parses the callback; undefined when the signature is invalid. */
function parseHttpCallback({ headers, body, now }: Callback, secret: string): CallbackReport | undefined {
  const [id, timestamp, signatures] = (['id', 'timestamp', 'signature'] as const).map(name =>
    getSingleHeader(headers[`webhook-${name}`]),
  ) as [string, string, string]
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const expected = `v1,${hmac(key, `${id}.${timestamp}.${body}`, 'base64')}`
  if (
    !/^\d{1,12}$/.test(timestamp) ||
    !signatures.split(' ', 10).some(signature => isEqualSecret(signature, expected))
  ) {
    return undefined
  }
  if (!isFreshTimestamp(Number(timestamp) * 1000, now)) return undefined
  const report = parseSignedBody(call, body)
  return { callId: report.callId, providerCallId: report.id, events: toEvents(report, now) }
}
