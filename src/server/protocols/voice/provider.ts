import type { IncomingHttpHeaders } from 'node:http'
import type { callOutcomes } from '../../../contract/calls.ts'

/** A call to place. */
export type DialRequest = {
  /** Our ID for the call, passed to the provider as the client reference. */
  callId: string
  from: string
  to: string
  assistantName: string
  disclosure?: string | undefined
  firstMessage?: string | undefined
  voicemailMessage?: string | undefined
  maxDurationSeconds?: number | undefined
  personName?: string | undefined
  /** Further facts about the person, keyed by the variable names that assistants may use. */
  person?: Record<string, string> | undefined
  /** Facts for the assistant, verbatim from the API request. */
  data?: unknown
  callTransfer?: CallTransfer | undefined
}

export type CallTransfer = {
  phoneNumber: string
  description?: string | undefined
  message?: string | undefined
  messageToReceiver?: string | undefined
}

export type TranscriptTurn = {
  role: 'assistant' | 'person'
  text: string
  /** Seconds from the start of the call. */
  at: number
}

/** An event that a provider reports, in a callback or when polled. Events may be duplicated, late and out of order. */
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
      transcript?: TranscriptTurn[] | undefined
      /** The provider's URL of the recording; never shown to clients. */
      recordingUrl?: string | undefined
      extractedData?: Record<string, unknown> | undefined
      cost?: { amount: number; currency: string } | undefined
      /** The provider's own reason. */
      endReason?: string | undefined
      /**
       * The provider detected that the person does not want further calls. Our own check of the transcript is separate.
       */
      isOptOut?: boolean | undefined
    }

export type CallReport = {
  providerCallId: string
  /** All events so far. */
  events: CallEvent[]
  /** The time of the next poll, if the provider knows it. */
  nextPollAt?: Date | undefined
}

/** An authenticated callback from a provider. */
export type CallbackReport = {
  /** Our ID for the call, if the callback contains it. */
  callId?: string | undefined
  providerCallId?: string | undefined
  events: CallEvent[]
  /** Builds the response to a request for a transfer destination. */
  answerTransfer?: ((transfer: CallTransfer | undefined) => object) | undefined
}

export type Callback = { headers: IncomingHttpHeaders; body: string; now: Date }

/** A call that was placed; `providerCallId` is unknown when the response was lost. */
export type PlacedCall = DialRequest & { placedAt: Date; providerCallId?: string | undefined }

/** A voice provider. Every method resolves or rejects before its signal's deadline. */
export type VoiceProvider = {
  /**
   * Places a call. Throws CallRefused when the provider will certainly never dial, and CallPostponed when it certainly
   * doesn't dial now but may accept the call later. After any other error, the call may have been placed and must not
   * be placed again.
   */
  placeCall: (
    request: DialRequest,
    at: Date,
    signal: AbortSignal,
  ) => Promise<Pick<CallReport, 'providerCallId' | 'nextPollAt'>>
  /**
   * Finds a call by our ID, after its response or callbacks were lost; undefined when the provider has no such call.
   */
  findCall: (call: PlacedCall, now: Date, signal: AbortSignal) => Promise<CallReport | undefined>
  /** Explains why no call can be placed from the number, and how to fix it; undefined when calls can be placed. */
  findProblem: (from: string, signal: AbortSignal) => Promise<string | undefined>
  /** Parses a callback; undefined when its signature is invalid or too old. */
  parseCallback: (callback: Callback) => CallbackReport | undefined
}

/** Error for a call that the provider will never place. */
export class CallRefused extends Error {
  override name = 'CallRefused'
}

/** Error for a call that the provider did not accept now, but may accept later. */
export class CallPostponed extends Error {
  override name = 'CallPostponed'
  readonly retryAfterMs: number

  constructor(message: string, retryAfterMs: number) {
    super(message)
    this.retryAfterMs = retryAfterMs
  }
}
