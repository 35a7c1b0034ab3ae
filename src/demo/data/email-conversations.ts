import type { messageTypes, receivedKinds } from '../../contract/inbox.ts'
import { internationalConversations } from './email-conversations-international.ts'

/** A message after the campaign email; its type shows who wrote it. */
export type EmailTurn = {
  type: Exclude<(typeof messageTypes)[number], 'campaign'>
  /** Days before the demo's first start, and the time in UTC. */
  at: [daysAgo: number, time: string]
  body: string
  /** Classification of a received message; defaults to `reply`. */
  kind?: (typeof receivedKinds)[number]
  isDraft?: true
  delivery?: [status: 'unconfirmed' | 'failed' | 'suppressed', reason: string]
}

export type EmailConversation = {
  campaign: string
  /** Slug of the person. */
  with: string
  tags?: string[]
  /** `{rep}` is replaced by the rep's first name. */
  turns: EmailTurn[]
}

const englishConversations: EmailConversation[] = [
  {
    campaign: 'pharma',
    with: 'rhiannon.pryce',
    tags: ['Interested', 'Pricing'],
    turns: [
      {
        type: 'received',
        at: [13, '09:12'],
        body: `Hello {rep},

It is mine, and you describe it rather too well. We had two of those last month.

How many parcels would we need to equip before it tells us anything?

Rhiannon`,
      },
      {
        type: 'manual',
        at: [13, '10:05'],
        body: `Hello Rhiannon,

One in ten is enough to find the leg that goes wrong; if you want every parcel signed off, every parcel needs one. Most hospital suppliers start with one in ten for a month.

For about 300 parcels a week that is 30 loggers and two readers. I can have them in Leeds on Monday.

{rep}`,
      },
      {
        type: 'received',
        at: [12, '15:41'],
        body: 'What does a month of that cost us, and who pays if a logger goes missing?',
      },
      {
        type: 'manual',
        at: [12, '16:20'],
        body: `£540 for the month, readers included. A lost logger is £9; the first five are on us, because everybody loses the first five.

{rep}`,
      },
      {
        type: 'received',
        at: [1, '08:33'],
        body: `That is reasonable. Could you and I and Gareth talk on Thursday at ten? I would like him to ask the awkward questions before I sign anything.

Rhiannon`,
      },
    ],
  },
  {
    campaign: 'pharma',
    with: 'oluwaseun.adeyemi-clarke',
    tags: ['Referred'],
    turns: [
      {
        type: 'received',
        at: [11, '11:02'],
        body: 'Not me, I only pay for it. Gareth Thistlewood runs the cold chain here; tell him I sent you.',
      },
      {
        type: 'manual',
        at: [11, '11:30'],
        body: 'Thank you, Oluwaseun. I will, and I will keep the price out of it until he has said yes.',
      },
    ],
  },
  {
    campaign: 'pharma',
    with: 'gareth.thistlewood',
    tags: ['Technical'],
    turns: [
      {
        type: 'received',
        at: [10, '07:48'],
        body: `Calibrated against what, and how often? Our auditor wants a certificate for each device, not for each batch.

G. Thistlewood`,
      },
      {
        type: 'reply_agent',
        at: [10, '07:52'],
        body: `Hello Gareth,

Each logger is calibrated individually at three points (−20, 5 and 25 °C) against a reference that is traceable to the national standard, once a year. The certificate carries the number of the device and comes with every report, so an auditor needs no second file.

Shall I send you one to look at?

{rep}`,
      },
      { type: 'received', at: [10, '09:15'], body: 'Yes, send one. Any device will do.' },
      {
        type: 'reply_agent',
        at: [1, '06:30'],
        isDraft: true,
        body: `Hello Gareth,

Here is the certificate of device 0417-2285 with the report it belongs to. The three points are on the second page.

{rep}`,
      },
    ],
  },
  {
    campaign: 'pharma',
    with: 'denise.kowalczyk',
    tags: ['Interested'],
    turns: [
      {
        type: 'received',
        at: [9, '14:20'],
        body: `We have a contract with another supplier until the end of January, and I am not sorry that it ends. Write to me in the second week of January and we can talk about a pilot.

Denise`,
      },
      {
        type: 'manual',
        at: [9, '15:03'],
        body: 'Hello Denise,\n\nGladly. I have put it down for the second week of January and will not bother you before.\n\n{rep}',
      },
    ],
  },
  {
    campaign: 'pharma',
    with: 'marcus.whitfield',
    turns: [
      {
        type: 'received',
        at: [15, '13:11'],
        kind: 'auto_reply',
        body: `I am on leave for three weeks and read no mail. For anything about a shipment under way, call dispatch.

This is an automatic answer.`,
      },
    ],
  },
  {
    campaign: 'pharma',
    with: 'naomi.tanaka-reyes',
    turns: [
      {
        type: 'received',
        at: [12, '17:26'],
        kind: 'unsubscribe',
        body: 'Please take me off your list. We build our own loggers.\n\nNaomi Tanaka-Reyes',
      },
      {
        type: 'manual',
        at: [12, '18:02'],
        isDraft: true,
        delivery: ['suppressed', 'naomi.tanaka-reyes@cascadia-blood.example is on the Do Not Contact list'],
        body: 'Done, Naomi, and sorry for the noise. Good luck with your own.',
      },
    ],
  },
  {
    campaign: 'seafood',
    with: 'therese.robichaux',
    tags: ['Interested'],
    turns: [
      {
        type: 'received',
        at: [10, '19:44'],
        body: `Forty kilometers? Honey, it is the last four. They leave the truck open at every restaurant on the block.

What have you got that a shrimp man can read without his glasses?

Thérèse`,
      },
      {
        type: 'manual',
        at: [9, '13:05'],
        body: `Hello Thérèse,

A light. Green is fine, red is not; the minutes are in the report for those who do have their glasses.

I am putting four in the mail for you today, no charge and no form to fill in.

{rep}`,
      },
      {
        type: 'received',
        at: [3, '20:10'],
        body: 'Got them. Three green, one red. I know exactly which block. Now what?',
      },
      {
        type: 'manual',
        at: [2, '08:15'],
        isDraft: true,
        body: 'Now we find out whether it is the block or the driver. Could you put two of them on Tuesday and two on Friday?',
      },
    ],
  },
]

export const acmeConversations: EmailConversation[] = [...englishConversations, ...internationalConversations]

export const globexConversations: EmailConversation[] = [
  {
    campaign: 'routes',
    with: 'deshawn.rutledge',
    tags: ['Demo booked'],
    turns: [
      {
        type: 'received',
        at: [24, '16:09'],
        body: 'Eleven kilometers is six point eight miles. If you can do it on gravel in February I am listening.',
      },
      {
        type: 'manual',
        at: [23, '07:31'],
        body: 'We are from Finland, DeShawn: gravel in February is our home ground. Tuesday at nine, your time?',
      },
      { type: 'received', at: [23, '14:55'], body: 'Tuesday at nine it is.' },
    ],
  },
]
