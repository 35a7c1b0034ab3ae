import type { SeedCampaign } from './campaigns.ts'

const DAY = 24 * 60

/** Campaigns beyond plain email: LinkedIn, calls, and a mailbox that cannot sign in. */
export const multichannelCampaigns: SeedCampaign[] = [
  {
    key: 'linkedin',
    name: 'LinkedIn outreach, eastern markets',
    description: 'A connection request, then a message.',
    status: 'active',
    isEvergreen: true,
    createdDaysAgo: 12,
    launchedDaysAgo: 11,
    sentCount: 0,
    reps: ['mia', 'amara'],
    audience: [
      'yukimi-nyugyo.example',
      'beiwan-lenglian.example',
      'farma-aigaiou.example',
      'mtis-tskaro.example',
      'sheetal-dairy.example',
    ],
    steps: [
      {
        channel: 'linkedin_connect',
        delayMinutes: 0,
        body: 'Hello {{ firstName }}, we measure what happens to cold goods on their way. May we connect?',
      },
      {
        channel: 'linkedin_message',
        delayMinutes: DAY,
        body: 'Thank you for connecting, {{ firstName }}. On which leg does {{ company }} not know the temperature?',
      },
    ],
  },
  {
    key: 'phone',
    name: 'Email first, then a call',
    description: 'An AI assistant calls two days after the email.',
    status: 'active',
    isEvergreen: true,
    createdDaysAgo: 9,
    launchedDaysAgo: 8,
    reps: ['mia', 'tomas'],
    audience: ['lindhagens-mejeri.example', 'lac-vert.example'],
    steps: [
      {
        channel: 'email',
        delayMinutes: 0,
        subject: 'May we call you about {{ company }}?',
        body: `Hello {{ firstName }},

A call says in two minutes what an email says in two pages. Our assistant will ring you on Thursday, unless you reply with a no.

{{ senderName }}
Acme Cold Chain`,
        variantB: {
          subject: 'Two minutes on the phone, {{ firstName }}?',
          body: `Hello {{ firstName }},

Two minutes, one question: which of your deliveries came in warm last month? Our assistant will ring on Thursday.

{{ senderName }}
Acme Cold Chain`,
        },
      },
      { channel: 'call', delayMinutes: 2 * DAY, assistant: 'ari' },
    ],
    paused: { 'goran.sjostrand': 'manual' },
  },
  {
    key: 'makers',
    name: 'Cheese makers, spring',
    description: 'Waits for a mailbox whose password was rejected.',
    status: 'active',
    createdDaysAgo: 2,
    launchedDaysAgo: 1,
    sentCount: 0,
    reps: ['ines'],
    audience: ['mlekarna-podhaji.example', 'teawa-miere.example'],
    steps: [
      {
        channel: 'email',
        delayMinutes: 0,
        subject: 'Does {{ company }} ripen on the lorry?',
        body: `Hello {{ firstName }},

Four degrees more for an afternoon, and a cheese is a week older than its label says.

May I send you two loggers?

{{ senderName }}
Acme Cold Chain`,
      },
    ],
  },
]
