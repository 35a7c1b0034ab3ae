import { createHash } from 'node:crypto'
import { composeFirstMessage } from './first-words.ts'
import type {
  CallEvent,
  CallReport,
  DialRequest,
  PlacedCall,
  TranscriptLine,
  VoiceProvider,
} from './provider.ts'

/** How much faster than ours the clock of a simulated conversation runs, so that a call is over within seconds. */
const SPEED = 20

type Outcome = Extract<CallEvent, { type: 'end-of-call' }>['outcome']
type Timed = { at: Date; event: CallEvent }

/** Of a hundred calls, how many end so: about what cold calls to business numbers meet with. */
const outcomeShares: [Outcome, number][] = [
  ['answered', 52],
  ['voicemail', 26],
  ['no_answer', 13],
  ['busy', 6],
  ['failed', 3],
]

/**
 * Plays calls out inside the server: dials nobody, costs nothing. It keeps nothing in memory; the whole life of a call
 * follows from its id and the time it was placed, so that a restart changes nothing.
 */
export const simulatedProvider: VoiceProvider = {
  placeCall: async (request, at) => ({ providerCallId: providerCallIdOf(request), nextPollAt: at }),
  findCall: async (call, now) => reportAt(call, now),
  findProblem: async () => undefined,
  parseCallback: () => undefined,
}

const providerCallIdOf = ({ callId }: DialRequest): string => `sim_${callId}`

function reportAt(call: PlacedCall, now: Date): CallReport {
  const life = lifeOf(call)
  const [past, future] = [life.filter(({ at }) => at <= now), life.filter(({ at }) => at > now)]
  return {
    providerCallId: providerCallIdOf(call),
    events: past.map(({ event }) => event),
    nextPollAt: future[0]?.at ?? now,
  }
}

function lifeOf(call: PlacedCall): Timed[] {
  const chance = chancesOf(call.callId)
  const outcome = outcomeFor(chance())
  const pickedUpAt = after(call.placedAt, 0.6 + chance())
  const dialing: Timed = {
    at: call.placedAt,
    event: { type: 'status-update', status: 'dialing', happenedAt: call.placedAt },
  }
  if (outcome !== 'answered' && outcome !== 'voicemail') {
    const event: CallEvent = { type: 'end-of-call', outcome, endedAt: pickedUpAt, durationSeconds: 0 }
    return [dialing, { at: pickedUpAt, event }]
  }
  const { lines, summary } = outcome === 'answered' ? conversation(call, chance()) : voicemail(call)
  const transcript = timeLines(lines)
  const lastLine = transcript.at(-1)!
  const durationSeconds = Math.ceil(lastLine.at + speakingSeconds(lastLine) + 5 * chance())
  return [
    dialing,
    { at: pickedUpAt, event: { type: 'status-update', status: 'in_progress', happenedAt: pickedUpAt } },
    {
      at: after(pickedUpAt, durationSeconds / SPEED),
      event: {
        type: 'end-of-call',
        outcome,
        startedAt: pickedUpAt,
        endedAt: after(pickedUpAt, durationSeconds),
        durationSeconds,
        summary,
        transcript,
      },
    },
  ]
}

const after = (at: Date, seconds: number): Date => new Date(at.getTime() + Math.round(seconds * 1000))

/** Numbers from 0 to 1, always the same for the same id. */
function chancesOf(callId: string): () => number {
  const bytes = createHash('sha256').update(callId).digest()
  let offset = 0
  return () => {
    const chance = bytes.readUInt16BE(offset) / 0x10000
    offset += 2
    return chance
  }
}

function outcomeFor(chance: number): Outcome {
  let left = chance * 100
  for (const [outcome, share] of outcomeShares) {
    left -= share
    if (left < 0) return outcome
  }
  return 'failed'
}

type Line = Pick<TranscriptLine, 'role' | 'text'>
type Talk = { lines: Line[]; summary: string }

const says = (role: Line['role'], text: string): Line => ({ role, text })

function conversation(call: DialRequest, chance: number): Talk {
  const person = call.personName ?? 'The person called'
  const opening = [
    says('person', 'Hello?'),
    says('assistant', `Hello ${call.personName ?? 'there'}. ${composeFirstMessage(call)}`),
  ]
  if (call.callTransfer && chance < 0.5) {
    const lines = [
      says('person', 'I would rather talk to a person.'),
      says('assistant', call.callTransfer.message ?? 'Of course. I am putting you through now.'),
    ]
    return { lines: [...opening, ...lines], summary: `${person} was put through to a person.` }
  }
  const { lines, summary } = endings[Math.floor(chance * endings.length)]!
  return { lines: [...opening, ...lines], summary: `${person} ${summary}` }
}

const endings: Talk[] = [
  {
    lines: [
      says('person', 'I have a minute. What is it about?'),
      says('assistant', 'My colleagues wrote to you, and I would like to know whether it was of use.'),
      says('person', 'It was. Send me the details, I will look at them this week.'),
      says('assistant', 'I will see that you get them today. Thank you for your time.'),
    ],
    summary: 'asked for the details by email.',
  },
  {
    lines: [
      says('person', 'This is a bad moment. Can you call again next week?'),
      says('assistant', 'Gladly. I will note next week. Have a good day.'),
    ],
    summary: 'asked to be called again next week.',
  },
  {
    lines: [
      says('person', 'Thank you, but we have no need for that.'),
      says('assistant', 'I understand, and I will not call again about it. Goodbye.'),
    ],
    summary: 'has no need for it.',
  },
]

const voicemail = (call: DialRequest): Talk => ({
  lines: [
    says('person', 'You have reached the mailbox of this number. Please leave a message after the tone.'),
    says('assistant', `Hello. ${composeFirstMessage(call)} I will write to you instead. Goodbye.`),
  ],
  summary: 'A mailbox answered; the assistant left a message.',
})

/** At the pace of speech: about 14 characters a second, and a breath after. */
const speakingSeconds = ({ text }: Line): number => text.length / 14 + 0.8

function timeLines(lines: Line[]): TranscriptLine[] {
  let at = 0
  return lines.map(line => {
    const timed = { ...line, at: Math.round(at * 10) / 10 }
    at += speakingSeconds(line)
    return timed
  })
}
