import type { Role } from '../contract/permissions.ts'

export type UserStory = { email: string; name: string }

/** Everybody signs in with the same password: it guards nothing but made-up data. */
export const demoPassword = 'overture-demo'

export type AccountKey = 'acme' | 'globex'
export type RepKey = 'mia' | 'tomas' | 'amara' | 'ines' | 'viktor'

export type RepStory = {
  key: RepKey
  name: string
  email: string
  ownedBy: string
  /** Why the mailbox, which is at a mail server then, does not work. */
  mailboxFault?: string
}

export type AccountStory = {
  key: AccountKey
  name: string
  timezone: string
  country: string
  postalAddress: string
  optOutLine: string
  members: [email: string, role: Role][]
  reps: RepStory[]
}

export const users: UserStory[] = [
  { email: 'owner@demo.example', name: 'Noor Haddad' },
  { email: 'admin@demo.example', name: 'Amara Eze' },
  { email: 'manager@demo.example', name: 'Mia Lindqvist' },
  { email: 'member@demo.example', name: 'Tomás Arrieta' },
  { email: 'viewer@demo.example', name: 'Jun Watanabe' },
  { email: 'rival@demo.example', name: 'Viktor Saarinen' },
]

/** Acme first: where a request names no account, the one joined first counts. */
export const accounts: Record<AccountKey, AccountStory> = {
  acme: {
    key: 'acme',
    name: 'Acme',
    timezone: 'Europe/London',
    country: 'GB',
    postalAddress: 'Acme Cold Chain, 12 Quayside Row, London, United Kingdom',
    optOutLine: 'Not for you? Answer "stop", and we do not write again.',
    members: [
      ['owner@demo.example', 'owner'],
      ['admin@demo.example', 'admin'],
      ['manager@demo.example', 'manager'],
      ['member@demo.example', 'member'],
      ['viewer@demo.example', 'viewer'],
    ],
    reps: [
      { key: 'mia', name: 'Mia Lindqvist', email: 'mia@acme.example', ownedBy: 'manager@demo.example' },
      { key: 'tomas', name: 'Tomás Arrieta', email: 'tomas@acme.example', ownedBy: 'member@demo.example' },
      { key: 'amara', name: 'Amara Eze', email: 'amara@acme.example', ownedBy: 'admin@demo.example' },
      {
        key: 'ines',
        name: 'Inês Faria',
        email: 'ines@acme.example',
        ownedBy: 'admin@demo.example',
        mailboxFault:
          'The server refused the user name or password: 535 5.7.8 Authentication credentials invalid',
      },
    ],
  },
  globex: {
    key: 'globex',
    name: 'Globex',
    timezone: 'Europe/Helsinki',
    country: 'FI',
    postalAddress: 'Globex Routing, Satamakuja 4, Helsinki, Finland',
    optOutLine: 'Answer "stop" if you want no more emails from us.',
    members: [
      ['rival@demo.example', 'owner'],
      ['owner@demo.example', 'owner'],
    ],
    reps: [
      {
        key: 'viktor',
        name: 'Viktor Saarinen',
        email: 'viktor@globex.example',
        ownedBy: 'rival@demo.example',
      },
    ],
  },
}
