import { z } from 'zod'
import { csv, csvImportResult, csvLimits, csvMap } from './csv.ts'
import { operation } from './operation.ts'
import {
  base,
  changeFilter,
  done,
  id,
  inFlight,
  lines,
  optionalMultiline,
  pageInput,
  pageSchema,
  searchQuery,
  timeInput,
  withChangeFilter,
} from './page.ts'

export const identifierTypes = [
  'email',
  'linkedin',
  'phone',
  'domain',
  'sms',
  'whatsapp',
  'web_chat',
] as const

export const optOutSources = [
  'api',
  'import',
  'cli',
  'reply',
  'unsubscribe_link',
  'unsubscribe_mail',
  'complaint',
  'call',
  'bounce',
  'erasure',
] as const

export const optOut = z
  .object({
    ...base('communication_opt_out'),
    identifier: z.string().describe('Identifier in canonical form'),
    identifierType: z.enum(identifierTypes),
    name: z.string().optional(),
    source: z
      .enum(optOutSources)
      .describe(
        'How the entry was added: through the app or API, from a file, by the person, or by Overture',
      ),
    addedById: id.optional().describe('User who added it; absent for entries that nobody added by hand'),
    addedBy: z
      .string()
      .optional()
      .describe('Name of that user; for a former member, the name when they were removed'),
  })
  .meta({ id: 'CommunicationOptOut' })

const identifierType = z
  .enum([...identifierTypes, ''])
  .optional()
  .transform(type => type || undefined)
  .describe('Detected from the identifier if absent or empty')

/** Columns of an imported CSV file. */
export const optOutColumns = [
  'identifier',
  'identifierType',
  'email',
  'linkedinUrl',
  'phone',
  'domain',
  'name',
] as const

const pauseActiveProspects = z
  .boolean()
  .default(true)
  .describe('Whether to pause matching prospects; nothing is sent to them either way')

const confirmPublicDomain = z
  .boolean()
  .optional()
  .describe('Allow domains of public email providers, such as gmail.com, which block everyone there')

export const addOptOuts = operation({
  method: 'POST',
  path: '/dnc/communication-opt-outs',
  summary: 'Add to the Do Not Contact list',
  description:
    'Blocks email addresses, LinkedIn profiles, phone numbers and whole domains from any contact. If one is invalid, none is stored. Adding one again is not an error.',
  tag: 'Do Not Contact',
  permission: 'DoNotContact.EditDoNotContact',
  rateLimit: 'optOuts',
  bodyLimitBytes: 512 * 1024,
  input: z.strictObject({
    identifiers: z
      .array(z.strictObject({ identifier: lines(2000), name: optionalMultiline(200), identifierType }))
      .max(500)
      .describe('At most 500 identifiers'),
    pauseActiveProspects,
    confirmPublicDomain,
    expectedPeople: z
      .int()
      .min(0)
      .optional()
      .describe('Changes nothing unless the identifiers match exactly this many people of the account'),
  }),
  output: z.object({
    total: z.int(),
    added: z.int(),
    alreadyPresent: z.int(),
    people: z.int().optional().describe('People of the account whom the identifiers match, up to 1,000'),
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
  summary: 'Import Do Not Contact entries from CSV',
  description:
    'Imports a CSV file with columns of email addresses, LinkedIn profiles, phone numbers or domains, an export of this list, or identifiers without a header. Under a header, a domain in the same row as an address is not blocked. Above a header, only rows that start with an email address, LinkedIn profile or international phone number are read, without domains; other rows with identifiers may be titles and are reported. Without a header, a part that can’t be read is reported, and the other identifiers in its row are added. Other invalid rows are skipped and reported. Importing the same file again adds nothing. For files over 4 MB use the command line.',
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
    ...csvImportResult(optOutColumns),
    invalid: z.int().describe('Rows that were skipped or only partly read'),
    added: z.int().describe('Number of entries added'),
    alreadyPresent: z.int().describe('Number of entries already on the list or repeated in the file'),
    pausedProspects: z.int(),
    inFlight,
  }),
  example: { input: { csv: 'Email,Domain\nada@analytical.example,\n,rival.example\n' } },
})

export const listOptOuts = operation({
  method: 'GET',
  path: '/dnc/communication-opt-outs',
  summary: 'List Do Not Contact entries',
  description: 'Removed entries are not listed; the event `opt_out.removed` reports them.',
  tag: 'Do Not Contact',
  extension: true,
  permission: 'DoNotContact.ReadDoNotContact',
  input: withChangeFilter(
    z.strictObject({
      ...pageInput,
      ...changeFilter,
      query: searchQuery.optional().describe('Words in the identifier or name'),
      identifierType: z.enum(identifierTypes).optional().describe('Only entries of this type'),
      source: z.enum(optOutSources).optional().describe('Only entries with this source'),
      addedById: id.optional().describe('Only entries that this member, or an app or token of theirs, added'),
      since: timeInput.optional().describe('Only entries added at or after this time'),
      until: timeInput.optional().describe('Only entries added before this time'),
    }),
  )
    .refine(({ identifierType, source }) => identifierType === undefined || source === undefined, {
      path: ['source'],
      message: 'must not be combined with `identifierType`',
    })
    .refine(
      ({ identifierType, source, addedById }) => addedById === undefined || !(identifierType ?? source),
      {
        path: ['addedById'],
        message: 'must not be combined with `identifierType` or `source`',
      },
    ),
  output: pageSchema(optOut, 'CommunicationOptOut'),
})

export const removeOptOut = operation({
  method: 'DELETE',
  path: '/dnc/communication-opt-outs',
  summary: 'Remove an identifier from the Do Not Contact list',
  description: 'Prospects that the entry paused stay paused until you resume them.',
  tag: 'Do Not Contact',
  extension: true,
  permission: 'DoNotContact.RemoveDoNotContact',
  reachesOutside: 'always',
  input: z.strictObject({ identifier: lines(2000).describe('Identifier in any format'), identifierType }),
  output: done,
})
