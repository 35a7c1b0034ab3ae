import { z } from 'zod'
import { csv, csvLimits, csvMap, csvReading } from './csv.ts'
import { operation } from './operation.ts'
import { base, done, lines, optionalLines, pageInput, pageOf } from './page.ts'

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
  .enum([...identifierTypes, ''])
  .optional()
  .transform(type => type || undefined)
  .describe('Read from the identifier itself when absent or empty')

/** What a column of an imported file may hold. */
export const optOutColumns = [
  'identifier',
  'identifierType',
  'email',
  'linkedinUrl',
  'phone',
  'domain',
  'name',
] as const

const inFlight = z.int().describe('Messages and calls that had left for good before the entry was stored')
const pauseActiveProspects = z
  .boolean()
  .default(true)
  .describe('Pauses the prospects it matches; nothing is sent to them either way')

const confirmPublicDomain = z
  .boolean()
  .optional()
  .describe('Allows domains where anybody may have an address, such as gmail.com: they block everyone there')

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
      .array(z.strictObject({ identifier: lines(2000), name: optionalLines(200), identifierType }))
      .max(500)
      .describe('Up to 500'),
    pauseActiveProspects,
    confirmPublicDomain,
  }),
  output: z.object({
    total: z.int(),
    added: z.int(),
    alreadyPresent: z.int(),
    pausedProspects: z.int(),
    inFlight,
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

export const importOptOuts = operation({
  method: 'POST',
  path: '/dnc/communication-opt-outs/import',
  summary: 'Import the Do Not Contact list from CSV',
  description:
    'Reads the text of a CSV file: columns with addresses, LinkedIn profiles, numbers or domains, an export of this list, or a bare list with one of them a line. A domain beside an address in the same row is not blocked. A row that cannot be read is left out whole and reported, the others are stored; sending the same file again adds nothing. For files over 4 MB use the command line.',
  tag: 'Do Not Contact',
  extension: true,
  permission: 'DoNotContact.EditDoNotContact',
  rateLimit: 'optOuts',
  ...csvLimits,
  input: z.strictObject({
    csv,
    map: csvMap(optOutColumns),
    pauseActiveProspects,
    confirmPublicDomain,
  }),
  output: z.object({
    ...csvReading(optOutColumns),
    added: z.int().describe('Entries'),
    alreadyPresent: z.int().describe('Entries that the list or the file itself had already'),
    pausedProspects: z.int(),
    inFlight,
  }),
  example: { input: { csv: 'Email,Domain\nada@analytical.example,\n,rival.example\n' } },
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
  permission: 'DoNotContact.RemoveDoNotContact',
  input: z.strictObject({ identifier: lines(2000).describe('In any spelling'), identifierType }),
  output: done,
})
