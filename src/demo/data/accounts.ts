import type { Role } from '../../contract/permissions.ts'

type SeedUser = { email: string; name: string }

/** Shared by all users, because it protects only sample data. */
export const demoPassword = 'overture-demo'

export type AccountKey = 'acme' | 'globex'
export type RepKey = 'mia' | 'tomas' | 'amara' | 'ines' | 'viktor'

export type SeedRep = {
  key: RepKey
  name: string
  email: string
  ownedBy: string
  /** Gives the rep a failing SMTP mailbox with this error. */
  mailboxError?: string
}

export type SeedAccount = {
  key: AccountKey
  name: string
  timezone: string
  country: string
  postalAddress: string
  optOutLine: string
  members: [email: string, role: Role][]
  reps: SeedRep[]
}

export const users: SeedUser[] = [
  { email: 'owner@demo.example', name: 'Noor Haddad' },
  { email: 'admin@demo.example', name: 'Amara Eze' },
  { email: 'manager@demo.example', name: 'Mia Lindqvist' },
  { email: 'member@demo.example', name: 'Tomás Arrieta' },
  { email: 'viewer@demo.example', name: 'Jun Watanabe' },
  { email: 'rival@demo.example', name: 'Viktor Saarinen' },
]

/** Acme comes first: a request that names no account uses the one joined first. */
export const accounts: Record<AccountKey, SeedAccount> = {
  acme: {
    key: 'acme',
    name: 'Acme',
    timezone: 'Europe/London',
    country: 'GB',
    postalAddress: 'Acme Cold Chain, 12 Quayside Row, London, United Kingdom',
    optOutLine: 'Not interested? Reply "stop" and we will not email you again.',
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
        mailboxError:
          'mail.acme.example:587 rejected the user name or password: 535 5.7.8 Authentication credentials invalid',
      },
    ],
  },
  globex: {
    key: 'globex',
    name: 'Globex',
    timezone: 'Europe/Helsinki',
    country: 'FI',
    postalAddress: 'Globex Routing, Satamakuja 4, Helsinki, Finland',
    optOutLine: 'Reply "stop" to opt out of our emails.',
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
