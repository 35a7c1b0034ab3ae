import type { callOutcomes } from '../../contract/calls.ts'

/** What a provider is asked to dial. */
export type CallRequest = {
  /** Our own id of the call, which travels along as the provider's client reference. */
  callId: string
  from: string
  to: string
  assistantName: string
  firstMessage?: string | undefined
  personName?: string | undefined
  /** Facts for the assistant, as the caller of the API gave them. */
  data?: unknown
  callTransfer?: CallTransfer | undefined
}

export type CallTransfer = {
  phoneNumber: string
  description?: string | undefined
  message?: string | undefined
  messageToReceiver?: string | undefined
}

export type TranscriptLine = {
  role: 'assistant' | 'person'
  text: string
  /** Seconds from the start of the call. */
  at: number
}

/** What a provider tells of a call, in callbacks or when asked. The same may come twice, late and in any order. */
export type CallEvent =
  | { type: 'status-update'; status: 'dialing' | 'in_progress'; happenedAt: Date }
  | {
      type: 'end-of-call'
      outcome: (typeof callOutcomes)[number]
      reason?: string | undefined
      startedAt?: Date | undefined
      endedAt: Date
      durationSeconds?: number | undefined
      summary?: string | undefined
      transcript?: TranscriptLine[] | undefined
      recordingUrl?: string | undefined
    }

export type CallReport = {
  providerCallId: string
  /** Everything that happened so far. */
  events: CallEvent[]
  /** When there may be more to tell. */
  askAgainAt: Date
}

/** One company that places calls. Every method ends within the signal's time. */
export type VoiceProvider = {
  /**
   * Asks to dial. Throws CallRefused when the provider certainly does not; after any other failure nobody knows
   * whether it does, and it must not be asked again.
   */
  placeCall: (
    request: CallRequest,
    at: Date,
    signal: AbortSignal,
  ) => Promise<Pick<CallReport, 'providerCallId' | 'askAgainAt'>>
  /** Finds a call by our own id, for callbacks and answers that got lost; undefined when it knows none. */
  findCall: (
    call: CallRequest & { placedAt: Date },
    now: Date,
    signal: AbortSignal,
  ) => Promise<CallReport | undefined>
}

/** The provider will not place this call. */
export class CallRefused extends Error {
  override name = 'CallRefused'
}
