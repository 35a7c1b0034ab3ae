import type { campaignStatuses } from '../../contract/campaigns.ts'
import type { RepKey } from './accounts.ts'
import { multichannelCampaigns } from './campaigns-multichannel.ts'

export type StepText = { subject?: string; body: string }

/** A step of a campaign; `variantB` makes it an A/B test. */
export type SeedStep = { delayMinutes: number } & (
  | ({ channel: 'email'; variantB?: StepText } & StepText)
  | { channel: 'linkedin_connect' | 'linkedin_message'; body: string }
  | { channel: 'call'; assistant: string }
)

export type SeedCampaign = {
  key: string
  name: string
  description: string
  status: (typeof campaignStatuses)[number]
  isArchived?: true
  isEvergreen?: true
  createdDaysAgo: number
  /** When the first email was sent; absent for drafts and for the campaign that the demo launches. */
  launchedDaysAgo?: number
  /** How many prospects got the first email; defaults to all. */
  sentCount?: number
  reps: RepKey[]
  /** Domains of the companies whose people are the audience. */
  audience: string[]
  steps: SeedStep[]
  /** Status codes of bounces, by slug of the person. */
  bounced?: Record<string, string>
  /** SMTP responses of servers that rejected the email immediately, by slug. */
  refused?: Record<string, string>
  /** Reasons of paused prospects, by slug. */
  paused?: Record<string, string>
}

/** The campaign that the demo launches: it sends while the user watches. */
export const trialCampaignKey = 'trial'

export const trialCampaign: SeedCampaign = {
  key: trialCampaignKey,
  name: 'Two-week logger trial',
  description: 'Sends an email every few seconds while you watch; recipients reply.',
  status: 'active',
  isEvergreen: true,
  createdDaysAgo: 1,
  reps: ['mia', 'tomas', 'amara'],
  audience: [
    'trois-combes.example',
    'rodopska-mlechna.example',
    'soguk-yol.example',
    'chlodnia-wrzosowa.example',
    'serra-azul.example',
    'flores-altiplano.example',
    'vientosur.example',
    'lanna-coldchain.example',
    'savannablooms.example',
  ],
  steps: [
    {
      channel: 'email',
      delayMinutes: 0,
      subject: 'Two weeks of temperatures from {{ company }}, at no cost',
      body: `Hello {{ firstName }},

Most claims about a warm delivery end in a guess: nobody knows on which leg it happened.

We lend you ten loggers for two weeks. Put them into ten parcels; the reader at the other end turns each into a one-page report. You keep the reports whether or not you keep us.

Shall I send the ten to {{ city | default: "you" }}?

{{ senderName }}
Acme Cold Chain`,
      variantB: {
        subject: 'Ten loggers for {{ company }}, for two weeks',
        body: `Hello {{ firstName }},

May I send you ten temperature loggers for two weeks? They cost you nothing, and you keep what they report.

{{ senderName }}
Acme Cold Chain`,
      },
    },
    {
      channel: 'email',
      delayMinutes: 3,
      body: `Hello {{ firstName }},

{One thing I left out|I forgot to say}: the loggers need no app and no network. The reader at the other end is all it takes.

{{ senderName }}
Acme Cold Chain`,
    },
  ],
  paused: { 'andres.quinones': 'manual' },
}

export const acmeCampaigns: SeedCampaign[] = [
  ...multichannelCampaigns,
  trialCampaign,
  {
    key: 'pharma',
    name: 'Pharma and vaccine carriers',
    description: 'Quality and supply chain managers who sign off shipments.',
    status: 'active',
    isEvergreen: true,
    createdDaysAgo: 19,
    launchedDaysAgo: 16,
    reps: ['mia', 'tomas', 'amara'],
    audience: [
      'halden-pryce.example',
      'aubrevie.example',
      'almenara-farma.example',
      'kryzhanyi-shliakh.example',
      'threerivers-vaccine.example',
      'cascadia-blood.example',
      'lab-jacaranda.example',
      'hangang-bio.example',
      'kaveri-cold.example',
      'naseem-cooling.example',
      'gal-carmel.example',
      'coolhub-ilu.example',
    ],
    steps: [
      {
        channel: 'email',
        delayMinutes: 0,
        subject: 'Who signs off a warm parcel at {{ company }}?',
        body: `Hello {{ firstName }},

When a parcel arrives at 11 °C instead of 8, somebody has to decide within the hour: release, hold or destroy. Most people I ask decide on a phone photo of a dial.

Our logger weighs 18 g, travels in the parcel and gives that person a signed report, with the minutes out of range already added up. Calibration is traceable, and the certificate is part of the report.

Is that decision yours at {{ company }}, or someone else's?

{{ senderName }}
Acme Cold Chain`,
        variantB: {
          subject: 'Release, hold or destroy?',
          body: `Hello {{ firstName }},

11 °C instead of 8, a phone photo of a dial, and an hour to decide: that is how most warm parcels are judged.

Our 18 g logger gives whoever decides at {{ company }} a signed report with the minutes already added up. Is that you?

{{ senderName }}
Acme Cold Chain`,
        },
      },
      {
        channel: 'email',
        delayMinutes: 4 * 24 * 60,
        body: `Hello {{ firstName }},

A sample report says more than I can. Shall I send you one of a parcel that was warm for nineteen minutes?

{{ senderName }}
Acme Cold Chain`,
      },
    ],
    bounced: { 'citlali.arriaga': '5.2.1' },
    refused: { 'priscilla.ng': '550 5.1.1 No such user here' },
    paused: { 'murugan.rajendran': 'manual' },
  },
  {
    key: 'seafood',
    name: 'Seafood exporters',
    description: 'Paused until winter prices are set.',
    status: 'paused',
    createdDaysAgo: 14,
    launchedDaysAgo: 12,
    sentCount: 10,
    reps: ['tomas', 'amara'],
    audience: [
      'nordvik-sjomat.example',
      'ishaf.example',
      'bayouverte.example',
      'coralbight.example',
      'suongmai.example',
    ],
    steps: [
      {
        channel: 'email',
        delayMinutes: 0,
        subject: 'The last leg from {{ city }}',
        body: `Hello {{ firstName }},

Fish that leaves the dock at 1 °C is often lost on the last forty kilometres, where nobody measures.

A logger in every tenth box of {{ company }} would tell you which carrier, which day and how long. It costs less than one rejected pallet a year.

May I show you what that looks like for a firm of your size?

{{ senderName }}
Acme Cold Chain`,
        variantB: {
          subject: 'Who measures after the dock?',
          body: 'Hello {{ firstName }},\n\nForty kilometres, and nobody measures. May I show {{ company }} what one logger in every ten boxes reveals?\n\n{{ senderName }}\nAcme Cold Chain',
        },
      },
    ],
  },
  {
    key: 'dairies',
    name: 'Dairies, winter round',
    description: 'Planned for January.',
    status: 'draft',
    createdDaysAgo: 4,
    reps: ['mia', 'amara'],
    audience: ['clonrath.example', 'prairielark.example', 'tana-milk.example'],
    steps: [
      {
        channel: 'email',
        delayMinutes: 0,
        subject: 'Frost is a temperature, too',
        body: `Hello {{ firstName }},

In January the trouble is not warm milk but frozen milk, and the driver's display shows neither.

Could I send {{ company }} two loggers before the cold sets in?

{{ senderName }}
Acme Cold Chain`,
      },
    ],
  },
  {
    key: 'brewers',
    name: 'Brewers and winemakers',
    description: 'Spring stock and heat damage in transit.',
    status: 'completed',
    createdDaysAgo: 47,
    launchedDaysAgo: 44,
    reps: ['tomas', 'mia'],
    audience: [
      'brasserie-valdore.example',
      'ribeiraclara.example',
      'fontechiara.example',
      'jaatelo-kuusikko.example',
      'shanwu-tea.example',
    ],
    steps: [
      {
        channel: 'email',
        delayMinutes: 0,
        subject: 'What {{ company }} tastes like after a hot lorry',
        body: `Hello {{ firstName }},

You spend months on a taste, and a carrier can undo it in an afternoon.

Our loggers tell you which afternoon it was. May I send you a sample report from a bottler in a town much like {{ city }}?

{{ senderName }}
Acme Cold Chain`,
      },
    ],
  },
  {
    key: 'kuehlkettentag',
    name: 'Nachlese Kühlkettentag Hamburg',
    description: 'Gespräche vom Stand weiterführen.',
    status: 'completed',
    isArchived: true,
    createdDaysAgo: 83,
    launchedDaysAgo: 82,
    reps: ['mia'],
    audience: ['kuehlwerk-hansa.example', 'molkerei-hallerbach.example'],
    steps: [
      {
        channel: 'email',
        delayMinutes: 0,
        subject: 'Unser Gespräch auf dem Kühlkettentag',
        body: `Guten Tag {{ firstName }} {{ lastName }},

danke für Ihren Besuch an unserem Stand. Wie versprochen fasse ich zusammen, was ein Logger in jeder zehnten Sendung bei {{ company }} zeigen würde: welche Strecke, welcher Tag, wie viele Minuten außerhalb des Bereichs.

Passt Ihnen ein Telefonat in der kommenden Woche?

{{ senderName }}
Acme Cold Chain`,
      },
    ],
  },
]
