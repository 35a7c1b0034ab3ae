import { z } from 'zod'
import { operation } from './operation.ts'
import { id, time } from './page.ts'
import { type Permission, permissions, roles } from './permissions.ts'

const count = z.int().min(0)

export const getMe = operation({
  method: 'GET',
  path: '/me',
  summary: 'Get the user, account and permissions of the request',
  description:
    'Returns the owner of the token, its account, its permissions, and how many things need attention. A good first request.',
  tag: 'Users',
  extension: true,
  permission: 'User.ManageSelf',
  input: z.strictObject({}),
  output: z
    .object({
      now: time.describe('Time on the server'),
      user: z.object({ id, email: z.string(), name: z.string() }),
      account: z.object({
        id,
        name: z.string(),
        timezone: z.string().describe('IANA time zone, such as Europe/Lisbon'),
      }),
      role: z.enum(roles).describe('Role of the user in the account'),
      reps: z.array(z.object({ id, name: z.string() })).describe('Reps that the user owns'),
      isReadOnly: z.boolean().describe('Whether the token or connection can only read'),
      permissions: z
        .partialRecord(z.enum(Object.keys(permissions) as Permission[]), z.enum(['all', 'own']))
        .describe('Permissions of the role: for the whole account (`all`) or for own reps (`own`)'),
      accounts: z
        .array(z.object({ id, name: z.string(), role: z.enum(roles) }))
        .describe('All accounts that the token works for; choose one with the header `x-account-id`'),
      token: z
        .object({ id, name: z.string(), expiresAt: time.optional() })
        .optional()
        .describe('The API token of the request; absent for sessions and connected apps'),
      waiting: z
        .object({
          tasks: count.describe('Open tasks'),
          replies: count.describe('Conversations that need a reply'),
          emailDrafts: count.describe('Email drafts to send'),
          linkedinDrafts: count.describe('LinkedIn drafts to send'),
          unconfirmedEmails: count.describe('Emails that may or may not have been sent'),
          callRequests: count.describe('Calls that wait for approval'),
          problems: count.describe('Problems that listProblems lists'),
        })
        .describe('Number of things that need attention, counted up to 1,000 each'),
    })
    .meta({ id: 'Me' }),
})
