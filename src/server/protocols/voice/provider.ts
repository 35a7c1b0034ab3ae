import type { IncomingHttpHeaders } from 'node:http'
import type { callOutcomes } from '../../../contract/calls.ts'

/** What a provider is asked to dial. */
export type DialRequest = {
  /** Our own id of the call, which travels along as the provider's client reference. */
  callId: string
  from: string
  to: string
  assistantName: string
  disclosure?: string | undefined
  firstMessage?: string | undefined
  voicemailMessage?: string | undefined
  maxDurationSeconds?: number | undefined
  personName?: string | undefined
  /** What else is known of the person, by the names that an assistant's words may use. */
  person?: Record<string, string> | undefined
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
      /** Where the provider keeps it: for our server alone. */
      recordingUrl?: string | undefined
      extractedData?: Record<string, unknown> | undefined
      cost?: { amount: number; currency: string } | undefined
      /** Why it ended, in the provider's own word. */
      endReason?: string | undefined
      /** The provider heard that the person wants no more calls. What the transcript says of it is found by itself. */
      isOptOut?: boolean | undefined
    }

export type CallReport = {
  providerCallId: string
  /** Everything that happened so far. */
  events: CallEvent[]
  /** When there is more to tell, where the provider knows. */
  nextPollAt?: Date | undefined
}

/** A message of the provider's, proved to be its own. */
export type CallbackReport = {
  /** Our own id of the call, as far as the message names it. */
  callId?: string | undefined
  providerCallId?: string | undefined
  events: CallEvent[]
  /** Makes the answer, where the provider waits for one: to whom the call is to be handed over. */
  answerTransfer?: ((transfer: CallTransfer | undefined) => object) | undefined
}

export type Callback = { headers: IncomingHttpHeaders; body: string; now: Date }

/** A call as it was placed; its id at the provider is unknown when the answer got lost. */
export type PlacedCall = DialRequest & { placedAt: Date; providerCallId?: string | undefined }

/** One company that places calls. Every method ends within the signal's time. */
export type VoiceProvider = {
  /**
   * Asks to dial. Throws CallRefused when the provider certainly does not, and CallPostponed when it certainly does
   * not now; after any other failure nobody knows whether it does, and it must not be asked again.
   */
  placeCall: (
    request: DialRequest,
    at: Date,
    signal: AbortSignal,
  ) => Promise<Pick<CallReport, 'providerCallId' | 'nextPollAt'>>
  /** Finds a call by our own id, for callbacks and answers that got lost; undefined when it knows none. */
  findCall: (call: PlacedCall, now: Date, signal: AbortSignal) => Promise<CallReport | undefined>
  /** Why no call can be placed from that number, in words that say what to mend; undefined when one can. */
  findProblem: (from: string, signal: AbortSignal) => Promise<string | undefined>
  /** What a callback says; undefined when the provider did not send it, or not just now. */
  parseCallback: (callback: Callback) => CallbackReport | undefined
}

/** The provider will not place this call. */
export class CallRefused extends Error {
  override name = 'CallRefused'
}

/** The provider did not take this call, and may take it later. */
export class CallPostponed extends Error {
  override name = 'CallPostponed'
  readonly retryAfterMs: number

  constructor(message: string, retryAfterMs: number) {
    super(message)
    this.retryAfterMs = retryAfterMs
  }
}
