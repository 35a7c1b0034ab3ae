import { createHash } from 'node:crypto'
import { composeFirstMessage } from './first-message.ts'
import type {
  CallEvent,
  CallReport,
  DialRequest,
  PlacedCall,
  TranscriptTurn,
  VoiceProvider,
} from './provider.ts'

/** Conversations run this many times faster than real time, so that a call ends within seconds. */
const SPEED = 20

type Outcome = Extract<CallEvent, { type: 'end-of-call' }>['outcome']
type TimedEvent = { at: Date; event: CallEvent }

/** Percentage of each outcome, roughly as in cold calls to business numbers. */
const outcomeShares: [Outcome, number][] = [
  ['answered', 52],
  ['voicemail', 26],
  ['no_answer', 13],
  ['busy', 6],
  ['failed', 3],
]

/**
 * A provider that simulates calls inside the server, without dialing anyone. It has no state: all events of a call
 * follow from the call's ID and the time it was placed, so that a restart changes nothing.
 */
export const simulatedProvider: VoiceProvider = {
  placeCall: async (request, at) => ({ providerCallId: toProviderCallId(request), nextPollAt: at }),
  findCall: async (call, now) => getReport(call, now),
  findProblem: async () => undefined,
  parseCallback: () => undefined,
}

const toProviderCallId = ({ callId }: DialRequest): string => `sim_${callId}`

function getReport(call: PlacedCall, now: Date): CallReport {
  const events = simulateCall(call)
  const [past, future] = [events.filter(({ at }) => at <= now), events.filter(({ at }) => at > now)]
  return {
    providerCallId: toProviderCallId(call),
    events: past.map(({ event }) => event),
    nextPollAt: future[0]?.at ?? now,
  }
}

function simulateCall(call: PlacedCall): TimedEvent[] {
  const random = createRandom(call.callId)
  const outcome = pickOutcome(random())
  const pickedUpAt = addSeconds(call.placedAt, 0.6 + random())
  const dialing: TimedEvent = {
    at: call.placedAt,
    event: { type: 'status-update', status: 'dialing', happenedAt: call.placedAt },
  }
  if (outcome !== 'answered' && outcome !== 'voicemail') {
    const event: CallEvent = { type: 'end-of-call', outcome, endedAt: pickedUpAt, durationSeconds: 0 }
    return [dialing, { at: pickedUpAt, event }]
  }
  const { lines, summary } = outcome === 'answered' ? makeConversation(call, random()) : makeVoicemail(call)
  const transcript = timeLines(lines)
  const lastTurn = transcript.at(-1)!
  const durationSeconds = Math.ceil(lastTurn.at + estimateSpeakingSeconds(lastTurn) + 5 * random())
  return [
    dialing,
    { at: pickedUpAt, event: { type: 'status-update', status: 'in_progress', happenedAt: pickedUpAt } },
    {
      at: addSeconds(pickedUpAt, durationSeconds / SPEED),
      event: {
        type: 'end-of-call',
        outcome,
        startedAt: pickedUpAt,
        endedAt: addSeconds(pickedUpAt, durationSeconds),
        durationSeconds,
        summary,
        transcript,
      },
    },
  ]
}

const addSeconds = (at: Date, seconds: number): Date => new Date(at.getTime() + Math.round(seconds * 1000))

/** Returns a generator of numbers from 0 to 1, seeded with the call's ID. */
function createRandom(callId: string): () => number {
  const bytes = createHash('sha256').update(callId).digest()
  let offset = 0
  return () => {
    const random = bytes.readUInt16BE(offset) / 0x10000
    offset += 2
    return random
  }
}

function pickOutcome(random: number): Outcome {
  let left = random * 100
  for (const [outcome, share] of outcomeShares) {
    left -= share
    if (left < 0) return outcome
  }
  return 'failed'
}

type Line = Pick<TranscriptTurn, 'role' | 'text'>
type CallScript = { lines: Line[]; summary: string }

const line = (role: Line['role'], text: string): Line => ({ role, text })

function makeConversation(call: DialRequest, random: number): CallScript {
  const person = call.personName ?? 'The person called'
  const opening = [
    line('person', 'Hello?'),
    line('assistant', `Hello ${call.personName ?? 'there'}. ${composeFirstMessage(call)}`),
  ]
  if (call.callTransfer && random < 0.5) {
    const lines = [
      line('person', 'I would rather talk to a person.'),
      line('assistant', call.callTransfer.message ?? 'Of course. I am putting you through now.'),
    ]
    return { lines: [...opening, ...lines], summary: `${person} was put through to a person.` }
  }
  const { lines, summary } = conversations[Math.floor(random * conversations.length)]!
  return { lines: [...opening, ...lines], summary: `${person} ${summary}` }
}

const conversations: CallScript[] = [
  {
    lines: [
      line('person', 'I have a minute. What is it about?'),
      line('assistant', 'My colleagues wrote to you, and I would like to know whether it was useful.'),
      line('person', 'It was. Send me the details, I will look at them this week.'),
      line('assistant', 'I will make sure you get them today. Thank you for your time.'),
    ],
    summary: 'asked for the details by email.',
  },
  {
    lines: [
      line('person', 'This is a bad moment. Can you call again next week?'),
      line('assistant', 'Gladly. I will call you next week. Have a good day.'),
    ],
    summary: 'asked to be called again next week.',
  },
  {
    lines: [
      line('person', 'Thank you, but we have no need for that.'),
      line('assistant', 'I understand, and I will not call again about it. Goodbye.'),
    ],
    summary: 'has no need for it.',
  },
]

const makeVoicemail = (call: DialRequest): CallScript => ({
  lines: [
    line('person', 'You have reached the voicemail of this number. Please leave a message after the tone.'),
    line('assistant', `Hello. ${composeFirstMessage(call)} I will write to you instead. Goodbye.`),
  ],
  summary: 'Voicemail answered; the assistant left a message.',
})

/** Estimates speaking time: about 14 characters per second and a pause. */
const estimateSpeakingSeconds = ({ text }: Line): number => text.length / 14 + 0.8

function timeLines(lines: Line[]): TranscriptTurn[] {
  let at = 0
  return lines.map(line => {
    const timed = { ...line, at: Math.round(at * 10) / 10 }
    at += estimateSpeakingSeconds(line)
    return timed
  })
}
