import { z } from 'zod'
import { csv, csvLimits } from './csv.ts'
import { customInput, customValues } from './custom-fields.ts'
import { optOutSources } from './dnc.ts'
import { operation } from './operation.ts'
import {
  base,
  changeFilter,
  flag,
  id,
  inFlight,
  optionalText,
  pageInput,
  pageSchema,
  patchText,
  searchQuery,
  text,
  time,
  timeInput,
  withChangeFilter,
} from './page.ts'
import {
  isSpecified,
  mapPersonFields,
  type PersonField,
  personFields,
  type SpecifiedPersonField,
} from './person-fields.ts'
import { importOptions, riskyRows } from './person-imports.ts'
import { prospectStatuses } from './prospects.ts'
import { replyIntents } from './reply-agent.ts'

const presentFields = mapPersonFields(field => z.string().describe(personFields[field].label))
/** Specified fields are null when unknown, the others absent. */
const fields = mapPersonFields(field =>
  isSpecified(field) ? presentFields[field].nullable() : presentFields[field].optional(),
) as {
  [F in PersonField]: F extends SpecifiedPersonField ? z.ZodNullable<z.ZodString> : z.ZodOptional<z.ZodString>
}

export const person = z
  .object({
    ...base('person'),
    updatedAt: time.describe(
      'Time of the last change to the person. Changes to the Do Not Contact list, the company, campaigns and messages don’t count',
    ),
    ...fields,
    photoUrl: z.string().nullable().describe('URL of a photo'),
    companyId: id.optional(),
    company: z.string().optional().describe('Name of the company'),
    custom: customValues,
    tags: z.array(z.string()).optional().describe('Names of the tags; absent if there are none'),
    ownerRepId: id.optional().describe('Rep the person is assigned to'),
    otherEmails: z
      .array(z.string())
      .optional()
      .describe(
        'Addresses of merged duplicates and opted-out addresses that were replaced, by which incoming mail and Do Not Contact entries find the person',
      ),
    otherPhones: z
      .array(z.string())
      .optional()
      .describe('Phone numbers of merged duplicates and opted-out numbers that were replaced'),
    otherLinkedinUrls: z
      .array(z.string())
      .optional()
      .describe('LinkedIn profiles of merged duplicates and opted-out profiles that were replaced'),
    mergedPersonIds: z.array(id).optional().describe('Duplicates that were merged into this person'),
    mergedIntoId: id
      .optional()
      .describe(
        'Present if this duplicate was merged into another person, who has all of its data. Lists include it only with `updatedSince`',
      ),
    isErased: z
      .literal(true)
      .optional()
      .describe('Present if the personal data was erased. Lists include the person only with `updatedSince`'),
    isOptedOut: z.literal(true).optional().describe('Present if the Do Not Contact list forbids contact'),
    optOutSource: z
      .enum(optOutSources)
      .optional()
      .describe(
        'How the entry that forbids contact was added; `bounce` if the only reason is that the address bounced',
      ),
    lastContactedAt: time
      .optional()
      .describe('When the last email or LinkedIn message was sent to the person'),
    lastRepliedAt: time.optional().describe('When the person last wrote'),
    prospects: z
      .array(
        z.object({
          id,
          campaignId: id,
          campaign: z.string().describe('Name of the campaign'),
          status: z.enum(prospectStatuses),
        }),
      )
      .optional()
      .describe('Campaigns the person is in, at most the ten newest'),
  })
  .meta({ id: 'Person' })

const idInput = z.strictObject({ personId: id.describe('Person ID') })

/** Each filter has an index in the list's order, so the cost of a page does not depend on the number of persons. */
const exclusiveFilters = ['email', 'domain', 'companyId', 'ownerRepId', 'tag', 'campaignId'] as const

const contactFilters = [
  'lastContactedBefore',
  'lastContactedAfter',
  'notContactedForDays',
  'contactedWithinDays',
] as const

const personSorts = ['createdAt', 'name', 'lastContactedAt', 'lastRepliedAt'] as const

const days = z.int().min(1).max(3650).optional()

const personFilters = {
  query: searchQuery
    .optional()
    .describe('Only persons whose names, email, phone number or company contain these words'),
  email: optionalText(320).describe('Only the person with this email address'),
  domain: optionalText(253).describe('Only persons with an email address of this domain'),
  companyId: id.optional().describe('Only persons at this company'),
  ownerRepId: id.optional().describe('Only persons assigned to this rep'),
  tag: optionalText(100).describe('Only persons with this tag, case-insensitive'),
  campaignId: id.optional().describe('Only persons in this campaign, most recently added first'),
  prospectStatus: z
    .enum(prospectStatuses)
    .optional()
    .describe('Only persons with this status in the campaign; requires `campaignId`'),
  intent: z
    .array(z.enum(replyIntents))
    .min(1)
    .max(replyIntents.length)
    .optional()
    .describe('Only persons whose latest classified reply in a campaign has one of these intents'),
  createdSince: timeInput
    .optional()
    .describe('Only persons created at or after this time; not together with `campaignId`'),
  lastContactedBefore: timeInput
    .optional()
    .describe('Only persons last contacted before this time, or never'),
  lastContactedAfter: timeInput.optional().describe('Only persons last contacted at or after this time'),
  notContactedForDays: days.describe(
    'Only persons last contacted this many days ago or earlier, or never; instead of `lastContactedBefore`',
  ),
  contactedWithinDays: days.describe(
    'Only persons last contacted within this many days; instead of `lastContactedAfter`',
  ),
  excludeOptedOut: flag.describe('Leaves out persons on the Do Not Contact list'),
  custom: optionalText(2100).describe(
    'Only persons with this value of a custom field, as `key:value`, such as `industry:Logistics`',
  ),
  sort: z
    .enum(personSorts)
    .optional()
    .describe(
      'Order of the list; defaults to `createdAt`, and with a filter by last contact to `lastContactedAt`. Persons who were never contacted, or never replied, are sorted as the earliest, and persons without a name by the identifier shown instead',
    ),
  order: z
    .enum(['asc', 'desc'])
    .optional()
    .describe('Direction; defaults to `asc` for `name`, and to the latest first for times'),
}

type PersonFilters = Partial<Record<keyof typeof personFilters, unknown>>

/** Rejects filters that exclude each other. */
const withPersonRules = <S extends z.ZodRawShape>(input: z.ZodObject<S, z.core.$strict>) => {
  const rule = (isSatisfied: (filters: PersonFilters) => boolean) => (filters: object) => isSatisfied(filters)
  return input
    .refine(
      rule(filters => exclusiveFilters.filter(name => filters[name] !== undefined).length <= 1),
      `only one of the filters ${exclusiveFilters.join(', ')} can be used at a time; all can be combined with \`query\``,
    )
    .refine(
      rule(
        filters =>
          !filters.sort || filters.sort === 'lastContactedAt' || !contactFilters.some(name => filters[name]),
      ),
      { path: ['sort'], message: 'must be lastContactedAt with a filter by last contact' },
    )
    .refine(
      rule(({ lastContactedBefore, notContactedForDays }) => !lastContactedBefore || !notContactedForDays),
      { path: ['notContactedForDays'], message: 'must not be combined with `lastContactedBefore`' },
    )
    .refine(
      rule(({ lastContactedAfter, contactedWithinDays }) => !lastContactedAfter || !contactedWithinDays),
      { path: ['contactedWithinDays'], message: 'must not be combined with `lastContactedAfter`' },
    )
    .refine(
      rule(({ campaignId, prospectStatus }) => !prospectStatus || !!campaignId),
      { path: ['prospectStatus'], message: 'requires `campaignId`' },
    )
    .refine(
      rule(({ campaignId, createdSince }) => !campaignId || !createdSince),
      { path: ['createdSince'], message: 'must not be combined with `campaignId`' },
    )
}

const { email: _email, ...viewFilters } = personFilters

/**
 * Filters of a saved view. They exclude the email address, which would outlast the person's erasure. A transformed
 * string needs `optional()` again, because its output type is not optional.
 */
export const personViewFilters = withPersonRules(
  z.strictObject({
    ...viewFilters,
    domain: viewFilters.domain.optional(),
    tag: viewFilters.tag.optional(),
    custom: viewFilters.custom.optional(),
  }),
)

export const listPersons = operation({
  method: 'GET',
  path: '/persons',
  summary: 'List persons',
  description:
    'With `query`, finds people by parts of their names, email address, phone number or company, ignoring case and accents; similar words count if nothing matches exactly.',
  tag: 'Persons',
  extension: true,
  permission: 'Prospect.ReadProspect',
  input: withPersonRules(
    withChangeFilter(
      z.strictObject({
        ...pageInput,
        updatedSince: changeFilter.updatedSince.describe(
          `${changeFilter.updatedSince.description}. Includes persons who were erased or merged into others. Changes to \`isOptedOut\` and \`optOutSource\` don’t count: follow the events \`opt_out.*\`; nor do those to the company’s name (\`listCompanies\`), campaigns (\`listProspects\`) and times of contact (the events \`email.*\` and \`linkedin.*\`)`,
        ),
        ...personFilters,
      }),
    ),
  ),
  output: pageSchema(person, 'Person'),
})

export const getPerson = operation({
  method: 'GET',
  path: '/persons/{personId}',
  summary: 'Get a person',
  description:
    'Includes the contact details, custom fields, the Do Not Contact state, and the campaigns of the person.',
  tag: 'Persons',
  extension: true,
  permission: 'Prospect.ReadProspect',
  input: idInput,
  output: person,
})

const employer = {
  company: optionalText(200).describe('Name of the company they work for, which is created if it is new'),
  website: optionalText(2000).describe('Website or domain of the company, by which it is found first'),
}

type Employer = { companyId?: unknown; company?: unknown; website?: unknown }

/** Arguments of `refine` for inputs with a company. */
const oneEmployer: [(input: Employer) => boolean, { path: string[]; message: string }] = [
  ({ companyId, company, website }) =>
    companyId === undefined || (company === undefined && website === undefined),
  { path: ['companyId'], message: 'must not be combined with `company` or `website`' },
]

export const createPerson = operation({
  method: 'POST',
  path: '/persons',
  summary: 'Create a person',
  description:
    'Requires `email`, `linkedinUrl` or `phone`, or `firstName`, `lastName` and `company`. `Conflict`, with the ID of the person under `personId` in `details`, if they exist already, by email, LinkedIn profile, phone number, or name and company. Nobody is contacted until the person is added to a campaign.',
  tag: 'Persons',
  extension: true,
  permission: 'Prospect.EditProspect',
  input: z
    .strictObject({
      ...mapPersonFields(field =>
        optionalText(personFields[field].maxLength).describe(personFields[field].label),
      ),
      ...employer,
      companyId: id.optional().describe('Company they work for, instead of `company` and `website`'),
      ownerRepId: id.optional().describe('Rep the person is assigned to'),
      custom: customInput,
    })
    .refine(...oneEmployer),
  output: person,
  example: {
    input: { firstName: 'Ada', lastName: 'Byron', email: 'ada@analytical.example', company: 'Analytical' },
  },
})

const importedPerson = z.strictObject({
  ...mapPersonFields(field =>
    optionalText(personFields[field].maxLength).describe(personFields[field].label),
  ),
  ...employer,
  custom: customInput,
})

export const importPersons = operation({
  method: 'POST',
  path: '/persons/import',
  summary: 'Import persons',
  description:
    'Creates people from a CSV file with a header row, or from `rows`, without adding them to a campaign. Only empty fields of existing people, found by email, LinkedIn profile, phone number, or name and company, are filled. People on the Do Not Contact list are left out. Invalid rows are skipped and reported. Importing the same file again changes nothing.',
  tag: 'Persons',
  extension: true,
  permission: 'Prospect.EditProspect',
  reachesOutside: 'always',
  ...csvLimits,
  input: z
    .strictObject({
      csv: csv.optional(),
      rows: z
        .array(importedPerson)
        .min(1)
        .max(1000)
        .optional()
        .describe('1 to 1,000 persons, instead of `csv`'),
      ...importOptions,
    })
    .refine(
      ({ csv, rows }) => (csv === undefined) !== (rows === undefined),
      'exactly one of `csv` and `rows` is required',
    )
    .refine(({ rows, map, customColumns }) => !rows || !(map || customColumns), {
      path: ['rows'],
      message: 'must not be combined with `map` or `customColumns`',
    }),
  output: z.object({
    total: z.int().describe('Rows read'),
    created: z.int(),
    updated: z.int().describe('Existing persons whose empty fields were filled'),
    skipped: z.int().describe('Rows with nothing new, and people on the Do Not Contact list'),
    invalid: z.int().describe('Invalid rows, which were skipped'),
    columns: z.record(z.string(), z.string()).describe('Header → field, as recognized'),
    ignoredColumns: z.array(z.string()),
    persons: z
      .array(
        z.object({
          line: z.int().describe('Line of the file, or position in `rows` from 1'),
          personId: id.optional().describe('Absent in a dry run if the person would be created'),
          outcome: z
            .enum(['created', 'updated', 'unchanged', 'duplicate'])
            .describe('`duplicate`: the same person as an earlier row'),
        }),
      )
      .describe('The first 10,000 rows that have a person'),
    issues: z
      .array(
        z.object({
          line: z.int(),
          outcome: z.enum(['invalid', 'do_not_contact']),
          reason: z.string().optional(),
        }),
      )
      .describe('The first 1,000 rows that were left out'),
    riskyAddresses: riskyRows,
  }),
  example: { input: { csv: 'First Name,Email\nAda,ada@analytical.example\n', tags: ['Fair 2026'] } },
})

export const updatePerson = operation({
  method: 'PATCH',
  path: '/persons/{personId}',
  summary: 'Update a person',
  description:
    'Absent fields stay as they are; null clears a field. `Conflict` if another person has the email address. When the address changes, `inFlight` counts the messages to the old one that could not be recalled. People who opted out stay opted out: an email, phone number or LinkedIn profile on the Do Not Contact list still blocks the person after it is replaced, unless it is on the list because it bounced.',
  tag: 'Persons',
  extension: true,
  permission: 'Prospect.EditProspect',
  reachesOutside: 'enrolled_person',
  input: idInput
    .extend({
      ...mapPersonFields(field =>
        patchText(personFields[field].maxLength).describe(personFields[field].label),
      ),
      ...employer,
      companyId: id
        .nullish()
        .describe('Company they work for, instead of `company` and `website`; null for none'),
      ownerRepId: id.nullish().describe('Rep the person is assigned to'),
      custom: customInput,
    })
    .refine(...oneEmployer),
  output: person.extend({ inFlight: inFlight.optional() }),
  example: { input: { title: 'Head of Research', timezone: 'Europe/London' } },
})

export const timelineTypes = [
  'email',
  'linkedin_message',
  'call',
  'task',
  'meeting',
  'note',
  'prospect',
  'consent',
  'opt_out',
  'merge',
] as const

const timelineEntry = z
  .object({
    id: id.describe('ID of the object, whose kind is `type`; for `merge` the ID of the duplicate'),
    type: z.enum(timelineTypes).describe('`prospect`: the person was added to a campaign'),
    at: time.describe('When it happened; for a task, when it is due'),
    direction: z
      .enum(['in', 'out'])
      .optional()
      .describe('Direction of a message or call; `in`: from the person'),
    status: z
      .string()
      .optional()
      .describe(
        'Status of the object, such as `draft`, `sent` or `bounced` for an email, `answered` for a call, `open` for a task',
      ),
    title: z
      .string()
      .optional()
      .describe('Subject, name of the campaign or of the author of a note, or what was recorded'),
    text: z.string().optional().describe('Beginning of the text, without quoted text'),
    campaignId: id.optional(),
    prospectId: id.optional(),
    repId: id.optional(),
    emailThreadId: id.optional(),
    linkedinConversationId: id.optional(),
    url: z.string().optional().describe('Page in the web app'),
  })
  .meta({ id: 'TimelineEntry' })

export const getPersonTimeline = operation({
  method: 'GET',
  path: '/persons/{personId}/timeline',
  summary: 'Get the timeline of a person',
  description:
    'Lists everything that happened with a person, newest first: emails, LinkedIn messages and their drafts, calls, tasks, meetings, notes, campaigns, consents and opt-outs. Contains what the role may see.',
  tag: 'Persons',
  extension: true,
  permission: 'Prospect.ReadProspect',
  input: idInput.extend({
    ...pageInput,
    type: z
      .array(z.enum(timelineTypes))
      .min(1)
      .max(timelineTypes.length)
      .optional()
      .describe('Only entries of these types'),
  }),
  output: pageSchema(timelineEntry, 'Timeline'),
})

export const mergePersons = operation({
  method: 'POST',
  path: '/persons/{personId}/merge',
  summary: 'Merge duplicates into a person',
  description:
    'Moves everything about the duplicates to this person: campaigns, conversations, calls, tasks, meetings, notes, tags and custom fields. Fields that the person lacks are filled; where both have a value, the person’s stays. Other email addresses, phone numbers and LinkedIn profiles of the duplicates still find the person, including on the Do Not Contact list: people who opted out stay opted out. In a campaign with several of them, the prospect with the most steps done continues, paused if another one was, and the others become `stopped` with the reason `merged`, so that no step is sent twice. Fails when they have more than 50 different tags in total. `Conflict` while a message or call to one of them is in progress: try again in a few seconds. A merge can’t be undone.',
  tag: 'Persons',
  extension: true,
  permission: 'Prospect.EditProspect',
  reachesOutside: 'always',
  input: idInput.extend({
    duplicateIds: z.array(id).min(1).max(10).describe('Persons whose data moves to this person'),
    expectedNames: z
      .array(text(320))
      .max(10)
      .optional()
      .describe(
        'Merges nothing unless these name the duplicates, in order: full name, email address, phone number or LinkedIn profile of each',
      ),
  }),
  output: person.extend({
    stoppedProspects: z
      .int()
      .describe('Prospects stopped because another one of the same campaign continues'),
  }),
  example: {
    input: {
      duplicateIds: ['019aaf6e-5f00-7000-8000-00000000001a'],
      expectedNames: ['Ada Byron'],
    },
  },
})

export const exportPerson = operation({
  method: 'GET',
  path: '/persons/{personId}/export',
  summary: 'Export the personal data of a person',
  description:
    'Returns everything that is stored about a person, to answer a request for access (GDPR, article 15): their fields, emails with their text, LinkedIn messages, calls with transcripts, tasks, campaigns, consents and Do Not Contact entries.',
  tag: 'Persons',
  extension: true,
  permission: 'Prospect.ManagePersonalData',
  input: idInput,
  output: z.object({
    personId: id,
    data: z
      .record(z.string(), z.array(z.record(z.string(), z.unknown())))
      .describe('Stored records by kind; kinds without any are absent'),
  }),
})

export const erasePerson = operation({
  method: 'POST',
  path: '/persons/{personId}/erase',
  summary: 'Erase a person',
  description:
    'Deletes the personal data of a person for good (GDPR, article 17): their fields, the text of emails, LinkedIn messages, calls, tasks and drafts, consents, copies in webhook deliveries, and all CSV files that users of the account exported. Statistics keep their numbers. The email address, phone number and LinkedIn profile stay on the Do Not Contact list as hashes, so that nobody contacts them after a later import. Not erased: mail on your mail servers, data at LinkedIn and voice providers, backups, and mentions in conversations with others. `inFlight` counts the messages that could not be recalled.',
  tag: 'Persons',
  extension: true,
  permission: 'Prospect.ManagePersonalData',
  input: idInput.extend({
    expectedPerson: text(320).describe(
      'Confirms the person to erase: their email address, full name, phone number or LinkedIn profile',
    ),
  }),
  output: z.object({ ok: z.literal(true), inFlight }),
  example: { input: { expectedPerson: 'ada@analytical.example' } },
})
