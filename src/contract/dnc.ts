import { z } from 'zod'
import { operation } from './operation.ts'
import { base, done, optionalText, pageInput, pageOf, text } from './page.ts'

export const identifierTypes = [
  'email',
  'linkedin',
  'phone',
  'domain',
  'sms',
  'whatsapp',
  'web_chat',
] as const

export const optOut = z
  .object({
    ...base('communication_opt_out'),
    identifier: z.string().describe('In canonical form'),
    identifierType: z.enum(identifierTypes),
    name: z.string().optional(),
  })
  .meta({ id: 'CommunicationOptOut' })

const identifierType = z
  .enum(identifierTypes)
  .optional()
  .describe('Read from the identifier itself when absent')

export const addOptOuts = operation({
  method: 'POST',
  path: '/dnc/communication-opt-outs',
  summary: 'Add to the Do Not Contact list',
  description:
    'Addresses, profile URLs, numbers and whole domains that are never contacted again. One that cannot be read makes the request invalid; nothing is stored then. Adding one again is no error.',
  tag: 'Do Not Contact',
  permission: 'DoNotContact.EditDoNotContact',
  rateLimit: 'optOuts',
  bodyLimitBytes: 512 * 1024,
  input: z.strictObject({
    identifiers: z
      .array(z.strictObject({ identifier: text(2000), name: optionalText(200), identifierType }))
      .max(500)
      .describe('Up to 500'),
    pauseActiveProspects: z
      .boolean()
      .default(true)
      .describe('Pauses the prospects it matches; nothing is sent to them either way'),
  }),
  output: z.object({
    total: z.int(),
    added: z.int(),
    alreadyPresent: z.int(),
    pausedProspects: z.int(),
    inFlight: z.int().describe('Messages that had left for good before the entry was stored'),
  }),
  example: {
    input: {
      identifiers: [
        { identifier: 'ada@analytical.example', name: 'Ada Byron' },
        { identifier: 'rival.example' },
      ],
    },
  },
})

export const listOptOuts = operation({
  method: 'GET',
  path: '/dnc/communication-opt-outs',
  summary: 'List the Do Not Contact entries',
  tag: 'Do Not Contact',
  extension: true,
  permission: 'DoNotContact.ReadDoNotContact',
  input: z.strictObject({ ...pageInput, identifierType: z.enum(identifierTypes).optional() }),
  output: pageOf(optOut, 'CommunicationOptOut'),
})

export const removeOptOut = operation({
  method: 'DELETE',
  path: '/dnc/communication-opt-outs',
  summary: 'Take an identifier off the Do Not Contact list',
  description: 'Paused prospects stay paused until someone resumes them.',
  tag: 'Do Not Contact',
  extension: true,
  permission: 'DoNotContact.EditDoNotContact',
  input: z.strictObject({ identifier: text(2000).describe('In any spelling'), identifierType }),
  output: done,
})
