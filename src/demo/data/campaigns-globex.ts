import type { SeedCampaign } from './campaigns.ts'

export const globexCampaigns: SeedCampaign[] = [
  {
    key: 'routes',
    name: 'Shorter rounds',
    description: 'Route planning for fleets of ten to fifty lorries.',
    status: 'paused',
    createdDaysAgo: 30,
    launchedDaysAgo: 27,
    reps: ['viktor'],
    audience: [
      'halden-pryce.example',
      'kuehlwerk-hansa.example',
      'chlodnia-wrzosowa.example',
      'prairielark.example',
    ],
    steps: [
      {
        channel: 'email',
        delayMinutes: 0,
        subject: 'Eleven kilometres a round',
        body: `Hello {{ firstName }},

Fleets the size of the one at {{ company }} save eleven kilometres a round with us, measured over a year.

Half an hour next week?

{{ senderName }}
Globex Routing`,
      },
    ],
  },
  {
    key: 'routes-spring',
    name: 'Spring tour',
    description: 'Not before March.',
    status: 'draft',
    createdDaysAgo: 6,
    reps: ['viktor'],
    audience: ['prairielark.example'],
    steps: [
      {
        channel: 'email',
        delayMinutes: 0,
        subject: 'A plan for the spring rounds',
        body: 'Hello {{ firstName }},\n\nMay I show you a plan for the spring rounds of {{ company }}?\n\n{{ senderName }}',
      },
    ],
  },
]
