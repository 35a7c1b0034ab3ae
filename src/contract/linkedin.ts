import { z } from 'zod'
import { operation } from './operation.ts'
import { base, done, id, optionalMultiline, optionalText, pageInput, pageSchema, timeInput } from './page.ts'

const tag = 'LinkedIn'

export const linkedinProviders = ['webhook', 'unipile'] as const
export const linkedinAccountStatuses = ['waiting', 'working', 'failing'] as const

export const linkedinAccount = z
  .object({
    ...base('linkedin_account'),
    repId: id.describe('Rep whose LinkedIn account it is'),
    provider: z.enum(linkedinProviders),
    baseUrl: z.string().optional(),
    providerAccountId: z.string().optional().describe('ID of the account at the provider'),
    status: z
      .enum(linkedinAccountStatuses)
      .describe('`waiting`: no event received yet; `failing`: the provider rejects requests'),
    statusReason: z.string().optional(),
  })
  .meta({ id: 'LinkedinAccount' })

const withSecret = linkedinAccount.extend({
  inboundUrl: z.string().describe("URL for the provider's events"),
  secret: z
    .string()
    .describe('Secret that authenticates the events, returned only once. See docs/linkedin.md'),
})

const unipile = {
  baseUrl: optionalText(500).describe('For `unipile`: the DSN, such as https://api1.unipile.com:13111'),
  apiKey: optionalText(500).describe('For `unipile`: the access token'),
  providerAccountId: optionalText(200).describe('For `unipile`: the ID of the linked account'),
}

const idInput = z.strictObject({ linkedinAccountId: id.describe('LinkedIn account ID') })

export const listLinkedinAccounts = operation({
  method: 'GET',
  path: '/linkedin/accounts',
  summary: 'List LinkedIn accounts',
  description: 'Lists the LinkedIn accounts of reps that are connected through a provider, with their state.',
  tag,
  extension: true,
  permission: 'Rep.ReadRep',
  input: z.strictObject(pageInput),
  output: pageSchema(linkedinAccount, 'LinkedinAccount'),
})

export const createLinkedinAccount = operation({
  method: 'POST',
  path: '/linkedin/accounts',
  summary: "Connect a rep's LinkedIn account",
  description:
    '`webhook` accepts events from any program, signed according to Standard Webhooks; `unipile` also needs `baseUrl`, `apiKey` and `providerAccountId`. Only conversations with persons known to the account are stored.',
  tag,
  extension: true,
  permission: 'Rep.EditRep',
  reachesOutside: 'always',
  input: z
    .strictObject({
      repId: id.describe('Rep whose account it is'),
      provider: z.enum(linkedinProviders).describe('How messages are received and sent'),
      ...unipile,
    })
    .superRefine((input, { addIssue }) => {
      for (const field of ['baseUrl', 'apiKey', 'providerAccountId'] as const)
        if ((input[field] !== undefined) !== (input.provider === 'unipile'))
          addIssue({
            code: 'custom',
            path: [field],
            message:
              input.provider === 'unipile' ? 'is required for `unipile`' : 'is only allowed for `unipile`',
          })
    }),
  output: withSecret,
  example: { input: { repId: '01980000-0000-7000-8000-000000000001', provider: 'webhook' } },
})

export const updateLinkedinAccount = operation({
  method: 'PATCH',
  path: '/linkedin/accounts/{linkedinAccountId}',
  summary: 'Update a LinkedIn account',
  description:
    'Updates the Unipile settings, for example after the access token was replaced; queued messages are sent with the new ones. A new `baseUrl` or `providerAccountId` requires `apiKey`. The event URL and its secret stay the same. `status` becomes `waiting` until the next event.',
  tag,
  extension: true,
  permission: 'Rep.EditRep',
  reachesOutside: 'always',
  input: idInput.extend(unipile),
  output: linkedinAccount,
  example: { input: { apiKey: 'the new access token' } },
})

export const deleteLinkedinAccount = operation({
  method: 'DELETE',
  path: '/linkedin/accounts/{linkedinAccountId}',
  summary: 'Disconnect a LinkedIn account',
  description:
    'Keeps the conversations. Nothing more is received, and the rep must send pending messages by hand. `Conflict` while a message is being sent.',
  tag,
  extension: true,
  permission: 'Rep.EditRep',
  input: idInput,
  output: done,
})

/** An event that a program posts to the URL of an account with the provider `webhook`. */
export const linkedinEvent = z.strictObject({
  type: z.enum(['message.received', 'message.sent', 'connection.accepted']),
  person: z
    .strictObject({ linkedinUrl: optionalText(2000), memberId: optionalText(200) })
    .describe('The other person, identified by at least one of the two'),
  happenedAt: timeInput,
  conversationId: optionalText(300),
  messageId: optionalText(300),
  text: optionalMultiline(100_000),
})
