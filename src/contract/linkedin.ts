import { z } from 'zod'
import { operation } from './operation.ts'
import { base, done, id, lines, optionalText, pageInput, pageOf, timeInput } from './page.ts'

const tag = 'LinkedIn'

export const linkedinProviders = ['webhook', 'unipile'] as const
export const linkedinAccountStatuses = ['waiting', 'working', 'failing'] as const

export const linkedinAccount = z
  .object({
    ...base('linkedin_account'),
    repId: id.describe('Whose LinkedIn it is'),
    provider: z.enum(linkedinProviders),
    baseUrl: z.string().optional(),
    providerAccountId: z.string().optional().describe('What the provider calls it'),
    status: z
      .enum(linkedinAccountStatuses)
      .describe('`waiting` until it was first heard of, `failing` when the provider refuses'),
    statusReason: z.string().optional(),
  })
  .meta({ id: 'LinkedinAccount' })

const withSecret = linkedinAccount.extend({
  inboundUrl: z.string().describe('Where the provider posts what happens'),
  secret: z.string().describe('Shown this once: what it proves itself with. See docs/linkedin.md'),
})

const unipile = {
  baseUrl: optionalText(500).describe('Of Unipile: the DSN, as in https://api1.unipile.com:13111'),
  apiKey: optionalText(500).describe('Of Unipile'),
  providerAccountId: optionalText(200).describe('Of Unipile: the id of the linked account'),
}

const one = z.strictObject({ linkedinAccountId: id.describe('The LinkedIn account') })

export const listLinkedinAccounts = operation({
  method: 'GET',
  path: '/linkedin/accounts',
  summary: 'List LinkedIn accounts',
  tag,
  extension: true,
  permission: 'Rep.ReadRep',
  input: z.strictObject(pageInput),
  output: pageOf(linkedinAccount, 'LinkedinAccount'),
})

export const createLinkedinAccount = operation({
  method: 'POST',
  path: '/linkedin/accounts',
  summary: "Connect a rep's LinkedIn account",
  description:
    'With the provider `webhook` any program may tell what happens, signed as Standard Webhooks has it; `unipile` takes the address, key and account of Unipile, too. What comes in is kept of persons that the account knows, and of nobody else.',
  tag,
  extension: true,
  permission: 'Rep.EditRep',
  input: z
    .strictObject({
      repId: id,
      provider: z.enum(linkedinProviders),
      ...unipile,
    })
    .superRefine((input, { addIssue }) => {
      for (const field of ['baseUrl', 'apiKey', 'providerAccountId'] as const)
        if ((input[field] !== undefined) !== (input.provider === 'unipile'))
          addIssue({
            code: 'custom',
            path: [field],
            message: input.provider === 'unipile' ? 'is required for unipile' : 'is for unipile alone',
          })
    }),
  output: withSecret,
  example: { input: { repId: '01980000-0000-7000-8000-000000000001', provider: 'webhook' } },
})

export const updateLinkedinAccount = operation({
  method: 'PATCH',
  path: '/linkedin/accounts/{linkedinAccountId}',
  summary: 'Change a LinkedIn account',
  description:
    'Address, key and account of Unipile, as when the key was replaced there; what waits for the account is sent with these. Another address or account needs `apiKey` again. Where the provider posts to, and its secret, stay. `status` is `waiting` until it is next heard of.',
  tag,
  extension: true,
  permission: 'Rep.EditRep',
  input: one.extend(unipile),
  output: linkedinAccount,
  example: { input: { apiKey: 'the new access token' } },
})

export const deleteLinkedinAccount = operation({
  method: 'DELETE',
  path: '/linkedin/accounts/{linkedinAccountId}',
  summary: 'Disconnect a LinkedIn account',
  description:
    'Its conversations stay; nothing more comes in, and what it was still to send is left to the rep. 409 while something is being sent by it.',
  tag,
  extension: true,
  permission: 'Rep.EditRep',
  input: one,
  output: done,
})

/** What a program may post to the address of an account that is connected by webhook. */
export const linkedinEvent = z.strictObject({
  type: z.enum(['message.received', 'message.sent', 'connection.accepted']),
  person: z
    .strictObject({ linkedinUrl: optionalText(2000), memberId: optionalText(200) })
    .describe('The other side, by one of both or by both'),
  happenedAt: timeInput,
  conversationId: optionalText(300),
  messageId: optionalText(300),
  text: lines(100_000).optional(),
})
