import type { callOutcomes, callTypes } from '../../contract/calls.ts'
import type { RepKey } from './accounts.ts'

export type SeedAssistant = { key: string; name: string; rep: RepKey; number: string; firstMessage: string }

export type SeedCall = {
  assistant: string
  /** Key of the campaign that has the call as a step. */
  campaign?: string
  attempt?: number
  isRecorded?: true
  /** Slug of the called person. */
  with: string
  type: (typeof callTypes)[number]
  /**
   * Days before the demo's first start, and the time in UTC. A queued call is due on the day after the first start
   * instead.
   */
  at: [daysAgo: number, time: string]
  outcome?: (typeof callOutcomes)[number]
  reason?: string
  /** Duration of a call without a transcript; others last as long as their transcript. */
  seconds?: number
  summary?: string
  transcript?: [role: 'assistant' | 'person', text: string][]
}

export type SeedCallRequest = {
  assistant: string
  /** Slug of the person. */
  with: string
  reason: string
  data: Record<string, string>
}

export const acmeCallRequests: SeedCallRequest[] = [
  {
    assistant: 'ari',
    with: 'oluwaseun.adeyemi-clarke',
    reason: 'He wants the invoice by post, and nobody knows the address that it should go to.',
    data: { pilot: 'One month, up to a thousand pounds', asks: 'Where the invoice should go' },
  },
  {
    assistant: 'juno',
    with: 'therese.robichaux',
    reason: 'She asked for a call about the red logger, and her last email waits for an answer.',
    data: { loggers: 'Three green, one red', asks: 'When Tomás may call her about the block it came from' },
  },
]

export const acmeAssistants: SeedAssistant[] = [
  {
    key: 'ari',
    name: 'Ari',
    rep: 'mia',
    number: '+442079460018',
    firstMessage: 'I am calling for Mia Lindqvist of Acme Cold Chain about the temperature loggers.',
  },
  {
    key: 'juno',
    name: 'Juno',
    rep: 'tomas',
    number: '+12025550147',
    firstMessage: 'I am calling for Tomás Arrieta of Acme Cold Chain.',
  },
]

export const acmeCalls: SeedCall[] = [
  {
    ...{ assistant: 'ari', isRecorded: true },
    with: 'oluwaseun.adeyemi-clarke',
    type: 'outbound',
    at: [8, '10:14'],
    outcome: 'answered',
    summary: 'Oluwaseun Adeyemi-Clarke confirmed the budget for a pilot and asked for an invoice by post.',
    transcript: [
      ['person', 'Adeyemi-Clarke.'],
      [
        'assistant',
        'Good morning. This is Ari, an AI assistant, calling for Mia Lindqvist of Acme Cold Chain. Do you have a minute?',
      ],
      ['person', 'One. Is it about the loggers?'],
      ['assistant', 'It is. Mia would like to know whether a pilot of one month fits into this quarter.'],
      ['person', 'It does, up to a thousand pounds. Send the invoice by post, our system eats attachments.'],
      ['assistant', 'By post, up to a thousand pounds. I will pass that on. Thank you for your time.'],
    ],
  },
  {
    assistant: 'juno',
    with: 'denise.kowalczyk',
    type: 'outbound',
    at: [10, '15:02'],
    outcome: 'answered',
    summary: 'Denise Kowalczyk asked not to be called before the second week of January.',
    transcript: [
      ['person', 'This is Denise.'],
      [
        'assistant',
        'Hello Denise. This is Juno, an AI assistant, calling for Tomás Arrieta of Acme Cold Chain.',
      ],
      ['person', 'I saw his email. Not now, please: call me again in the second week of January.'],
      ['assistant', 'The second week of January. I will note it, so that nobody calls before. Thank you.'],
    ],
  },
  {
    ...{ assistant: 'ari', campaign: 'phone', attempt: 1 },
    with: 'asa.lindhagen',
    type: 'outbound',
    at: [6, '09:05'],
    outcome: 'no_answer',
    seconds: 0,
  },
  {
    ...{ assistant: 'ari', campaign: 'phone', attempt: 2 },
    with: 'asa.lindhagen',
    type: 'outbound',
    at: [5, '09:20'],
    outcome: 'voicemail',
    summary: 'Voicemail answered; the assistant left a message.',
    transcript: [
      ['person', 'Hej, du har kommit till Åsa Lindhagen. Lämna ett meddelande efter tonen.'],
      [
        'assistant',
        'Hello. This is Ari, an AI assistant. I am calling for Mia Lindqvist, who will write to you. Goodbye.',
      ],
    ],
  },
  {
    assistant: 'juno',
    with: 'marcus.whitfield',
    type: 'outbound',
    at: [5, '16:40'],
    outcome: 'no_answer',
    seconds: 0,
  },
  {
    ...{ assistant: 'ari', campaign: 'phone', attempt: 1, isRecorded: true },
    with: 'elsa.oberg',
    type: 'outbound',
    at: [6, '09:30'],
    outcome: 'answered',
    summary: 'Elsa Öberg is buying for the spring and asked for the price of forty loggers by email.',
    transcript: [
      ['person', 'Elsa Öberg.'],
      [
        'assistant',
        'Good morning. This is Ari, an AI assistant, calling for Mia Lindqvist of Acme Cold Chain about her email.',
      ],
      ['person', 'The thermometers. What do forty of them cost for the spring?'],
      ['assistant', 'Mia will send you the price for forty by email today. Is that all right?'],
      ['person', 'By email, yes. Thank you.'],
    ],
  },
  {
    ...{ assistant: 'ari', campaign: 'phone', attempt: 1 },
    with: 'genevieve.desrochers',
    type: 'outbound',
    at: [6, '14:10'],
    outcome: 'busy',
    seconds: 0,
  },
  {
    ...{ assistant: 'ari', campaign: 'phone', attempt: 2 },
    with: 'genevieve.desrochers',
    type: 'outbound',
    at: [5, '15:20'],
    outcome: 'no_answer',
    seconds: 0,
  },
  {
    ...{ assistant: 'ari', campaign: 'phone', attempt: 1 },
    with: 'renald.theriault',
    type: 'outbound',
    at: [6, '14:40'],
    outcome: 'failed',
    reason: 'The line is out of service.',
  },
  {
    ...{ assistant: 'ari', campaign: 'phone', attempt: 2 },
    with: 'renald.theriault',
    type: 'outbound',
    at: [5, '15:50'],
    outcome: 'voicemail',
    summary: 'Voicemail answered; the assistant left a message.',
    transcript: [
      ['person', 'Vous êtes bien chez Rénald Thériault. Laissez un message après le bip.'],
      [
        'assistant',
        'Hello. This is Ari, an AI assistant, calling for Acme Cold Chain. We will write to you.',
      ],
    ],
  },
  {
    ...{ assistant: 'ari', campaign: 'phone', attempt: 1 },
    with: 'goran.sjostrand',
    type: 'outbound',
    at: [4, '08:05'],
    outcome: 'busy',
    seconds: 0,
  },
  {
    assistant: 'juno',
    with: 'wesley.okoro',
    type: 'outbound',
    at: [4, '18:30'],
    outcome: 'failed',
    reason: 'The number does not exist.',
  },
  {
    assistant: 'juno',
    with: 'naomi.tanaka-reyes',
    type: 'outbound',
    at: [3, '17:15'],
    outcome: 'refused',
    reason: 'do_not_contact',
  },
  {
    ...{ assistant: 'ari', campaign: 'phone', attempt: 2 },
    with: 'goran.sjostrand',
    type: 'outbound',
    at: [3, '08:05'],
    outcome: 'withdrawn',
    reason: 'prospect_paused',
  },
  {
    assistant: 'juno',
    with: 'therese.robichaux',
    type: 'inbound',
    at: [3, '20:22'],
    outcome: 'answered',
    summary: 'Thérèse Robichaux called back: one of four loggers showed red. She wants to talk to Tomás.',
    transcript: [
      ['assistant', 'Acme Cold Chain, this is Juno, an AI assistant. How can I help?'],
      ['person', 'You can get me Tomás. I have three green ones and a red one.'],
      ['assistant', 'He is on the road. May I tell him which block the red one came from?'],
      ['person', 'He can read it in the report. Tell him to call Thérèse.'],
    ],
  },
  {
    assistant: 'ari',
    with: 'gareth.thistlewood',
    type: 'web',
    at: [2, '11:47'],
    outcome: 'answered',
    summary: 'Gareth Thistlewood asked on the website how the certificates are delivered.',
    transcript: [
      ['assistant', 'Hello, this is Ari, an AI assistant. What would you like to know?'],
      ['person', 'Whether the certificate is in the report, or somewhere I have to sign in.'],
      ['assistant', "It is in the report, on the second page. You don't have to sign in."],
      ['person', 'That is the right answer.'],
    ],
  },
  { assistant: 'ari', with: 'padraig.osuilleabhain', type: 'outbound', at: [0, '00:00'] },
]
