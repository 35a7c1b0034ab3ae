import { z } from 'zod'
import { operation } from './operation.ts'
import { base, changedText, id, optionalText, pageInput, pageOf, text, time } from './page.ts'

export const campaignStatuses = ['draft', 'active', 'paused', 'completed'] as const

const settings = z.strictObject({
  isEvergreen: z.boolean().default(false).describe('Stays active when every prospect has ended'),
  skipActiveElsewhere: z
    .boolean()
    .default(false)
    .describe('Leaves out a prospect that another active campaign is working on'),
})

/** What a step's templates may name. A person without the value gets no mail that needs it. */
export const templateVariables = [
  'firstName',
  'lastName',
  'fullName',
  'email',
  'title',
  'jobTitle',
  'company',
  'companyDomain',
  'city',
  'state',
  'country',
  'phone',
  'linkedinUrl',
  'repName',
  'senderName',
  'senderEmail',
] as const
export type TemplateVariable = (typeof templateVariables)[number]

const variableNames = templateVariables.map(name => `\`${name}\``).join(', ')

/** How a step can reach a prospect; LinkedIn, calls and tasks come beside it. */
export const stepChannels = ['email'] as const
export const delayUnits = ['minutes', 'hours', 'days', 'business_days'] as const
export const stepThreads = ['same', 'new'] as const

const subjectInput = optionalText(998).describe('Subject as a Liquid template, as in `Hello {{ firstName }}`')
const bodyInput = text(100_000).describe(
  `Body as a Liquid template; plain text, or HTML when it holds tags. Both templates may use ${variableNames}. \`title\` and \`jobTitle\` are the same; \`repName\`, \`senderName\` and \`senderEmail\` are of the one who sends.`,
)

const variantInput = z.strictObject({
  id: id.optional().describe('The variant that it changes'),
  subject: subjectInput,
  body: bodyInput,
  weight: z
    .int()
    .min(0)
    .max(1000)
    .default(1)
    .describe('Its share among the variants of the step; with 0 nobody gets it any more'),
})

export const stepInput = z.strictObject({
  id: id.optional().describe('The step that it changes, wherever it stands now'),
  position: z.int().min(1).optional().describe('May be left out: the order of the list is that of the steps'),
  channel: z.enum(stepChannels).default('email').describe('How the step reaches the prospect'),
  delay: z
    .strictObject({ amount: z.int().min(0).max(10_000), unit: z.enum(delayUnits) })
    .optional()
    .describe(
      'How long after the step before; of the first step: after the prospect was added and the campaign launched. Unless told 3 business days, for the first step none.',
    ),
  thread: z
    .enum(stepThreads)
    .optional()
    .describe(
      '`same` answers in the thread of the mail before and takes its subject from there; `new` opens a thread and needs subjects. Unless told, a step without a subject stays in the thread.',
    ),
  subject: subjectInput,
  body: bodyInput.optional().describe('With `subject` in place of `variants`: a step in one variant'),
  variants: z.array(variantInput).min(1).max(10).optional(),
})

const step = z
  .object({
    id,
    position: z.int().min(1).describe('1 is the first step'),
    channel: z.enum(stepChannels),
    delay: z.object({ amount: z.int(), unit: z.enum(delayUnits) }),
    thread: z.enum(stepThreads),
    variants: z.array(z.object({ id, subject: z.string().optional(), body: z.string(), weight: z.int() })),
  })
  .meta({ id: 'CampaignStep' })

export const campaign = z
  .object({
    ...base('campaign'),
    name: z.string(),
    status: z.enum(campaignStatuses),
    isArchived: z.boolean(),
    launchedAt: time.optional().describe('When it was first launched'),
    description: z.string().optional(),
    repIds: z.array(id).describe('The reps in whose names it sends, in turn'),
    settings: z.object({ isEvergreen: z.boolean(), skipActiveElsewhere: z.boolean() }),
    health: z.string().optional().describe('Why it does not get on, when it does not'),
  })
  .meta({ id: 'Campaign' })

const campaignWithSteps = campaign.extend({ steps: z.array(step) }).meta({ id: 'CampaignWithSteps' })

const maxSteps = 30
const stepsLimitBytes = 2 * 1024 * 1024

const one = z.strictObject({ campaignId: id.describe('The campaign') })

export const listCampaigns = operation({
  method: 'GET',
  path: '/campaigns',
  summary: 'List campaigns',
  tag: 'Campaigns',
  permission: 'Campaign.ReadCampaign',
  input: z.strictObject({
    ...pageInput,
    status: z
      .array(z.enum(campaignStatuses))
      .max(20)
      .optional()
      .describe('Only campaigns in one of these states'),
  }),
  output: pageOf(campaign, 'Campaign'),
})

export const createCampaign = operation({
  method: 'POST',
  path: '/campaigns',
  summary: 'Create a campaign',
  description: 'The campaign starts as a draft. Give it steps, reps and prospects, then launch it.',
  tag: 'Campaigns',
  extension: true,
  permission: 'Campaign.EditCampaign',
  bodyLimitBytes: stepsLimitBytes,
  input: z.strictObject({
    name: text(200),
    description: optionalText(2000),
    repIds: z.array(id).max(100).default([]),
    settings: settings.prefault({}),
    steps: z.array(stepInput).max(maxSteps).default([]).describe('The same as setting the steps later'),
  }),
  output: campaignWithSteps,
  example: {
    input: {
      name: 'Spring trial',
      repIds: [],
      steps: [{ subject: 'Hello {{ firstName }}', body: 'Hi {{ firstName }},\n\nis {{ company }} hiring?' }],
    },
  },
})

export const getCampaign = operation({
  method: 'GET',
  path: '/campaigns/{campaignId}',
  summary: 'Get a campaign with its steps',
  tag: 'Campaigns',
  extension: true,
  permission: 'Campaign.ReadCampaign',
  input: one,
  output: campaignWithSteps,
})

export const updateCampaign = operation({
  method: 'PATCH',
  path: '/campaigns/{campaignId}',
  summary: 'Change a campaign',
  tag: 'Campaigns',
  extension: true,
  permission: 'Campaign.EditCampaign',
  input: one.extend({
    name: optionalText(200),
    description: changedText(2000),
    repIds: z.array(id).max(100).optional(),
    settings: z
      .strictObject({ isEvergreen: z.boolean().optional(), skipActiveElsewhere: z.boolean().optional() })
      .optional(),
  }),
  output: campaignWithSteps,
  example: { input: { name: 'Spring trial, second wave' } },
})

export const setCampaignSteps = operation({
  method: 'PUT',
  path: '/campaigns/{campaignId}/steps',
  summary: 'Set the steps of a campaign',
  description:
    'The whole list, in its order, at any time. What was sent stays as it was; what is still to come follows the new steps. A step given with its `id` stays the same step wherever it moves, one without is new, one left out is removed; when none has an `id`, they are the same by their place. Nobody gets a step twice, or one that stands before another they already got; who was through stays so.',
  tag: 'Campaigns',
  extension: true,
  permission: 'Campaign.EditCampaign',
  bodyLimitBytes: stepsLimitBytes,
  input: one.extend({ steps: z.array(stepInput).min(1).max(maxSteps) }),
  output: campaignWithSteps,
  example: {
    input: {
      steps: [
        { subject: 'Hello {{ firstName }}', body: 'Hi {{ firstName | default: "there" }}' },
        { delay: { amount: 3, unit: 'business_days' }, body: 'Did you see this?' },
      ],
    },
  },
})

const move = (verb: string, summary: string, description: string) =>
  operation({
    method: 'POST',
    path: `/campaigns/{campaignId}/${verb}`,
    summary,
    description,
    tag: 'Campaigns',
    extension: true,
    permission: 'Campaign.EditCampaign',
    input: one,
    output: campaignWithSteps,
  })

export const launchCampaign = move(
  'launch',
  'Launch a campaign',
  'Turns a draft active. It needs a step, a rep with a working mailbox, and the account a postal address and an opt-out line.',
)
export const pauseCampaign = move(
  'pause',
  'Pause a campaign',
  'Turns an active campaign paused; nothing more is sent.',
)
export const resumeCampaign = move(
  'resume',
  'Resume a campaign',
  'Turns a paused or completed campaign active again.',
)
export const archiveCampaign = move('archive', 'Archive a campaign', 'Needs a campaign that is not active.')
export const unarchiveCampaign = move(
  'unarchive',
  'Bring a campaign back from the archive',
  'Its state stays as it was.',
)

/** Fields of one prospect as a caller gives them; unknown ones are ignored and named in `warnings`. */
export const prospectInput = z
  .looseObject({
    firstName: optionalText(200),
    lastName: optionalText(200),
    company: optionalText(200),
    jobTitle: optionalText(200),
    email: optionalText(320),
    linkedinUrl: optionalText(2000),
    phone: optionalText(50),
  })
  .describe(
    'At least one of `email`, `linkedinUrl` and `phone`, or all of `firstName`, `lastName` and `company`',
  )
  .meta({ id: 'ProspectInput' })

export const addOutcomes = [
  'added',
  'already_in_campaign',
  'duplicate_in_request',
  'do_not_contact',
  'in_other_active_campaign',
] as const

export const addProspectsToCampaign = operation({
  method: 'POST',
  path: '/campaigns/{campaignId}/prospects',
  summary: 'Add prospects to a campaign',
  description:
    'Finds or makes the person behind each element and adds it to the audience. One element at fault makes the whole request invalid; nothing is added then.',
  tag: 'Campaigns',
  permission: 'Prospect.EditProspect',
  rateLimit: 'addProspects',
  bodyLimitBytes: 256 * 1024,
  input: one.extend({ data: z.array(prospectInput).min(1).max(20).describe('1 to 20 prospects') }),
  output: z.object({
    data: z
      .array(
        z.object({
          index: z.int().min(0).describe('Position in the request'),
          outcome: z.enum(addOutcomes),
          prospectId: id.optional(),
          personId: id.optional(),
          reason: z.string().optional().describe('Why it was not added'),
        }),
      )
      .describe('One element for each of the request, in its order'),
    total: z.int(),
    added: z.int(),
    skipped: z.int(),
    warnings: z.array(z.string()).optional().describe('Keys that were ignored'),
  }),
  example: {
    input: {
      data: [{ firstName: 'Ada', lastName: 'Byron', email: 'ada@analytical.example', company: 'Analytical' }],
    },
  },
})

export const importProspects = operation({
  method: 'POST',
  path: '/campaigns/{campaignId}/prospects/import',
  summary: 'Import prospects from CSV',
  description:
    'Reads the text of a CSV file with a header line. Headers of the common tools are recognised; `map` names the rest. Bad rows are left out and reported, good ones are added; sending the same file again adds nothing twice. For files over 4 MB use the command line.',
  tag: 'Campaigns',
  extension: true,
  permission: 'Prospect.EditProspect',
  bodyLimitBytes: 5 * 1024 * 1024,
  timeoutMs: 120_000,
  input: one.extend({
    csv: z
      .string()
      .min(1)
      .max(4 * 1024 * 1024)
      .describe('The file, as text'),
    map: z
      .record(z.string().max(200), z.string().max(50))
      .optional()
      .describe('Header → field, for headers that are not recognised'),
  }),
  output: z.object({
    total: z.int().describe('Rows read'),
    added: z.int(),
    skipped: z.int(),
    invalid: z.int().describe('Rows at fault, left out'),
    columns: z.record(z.string(), z.string()).describe('Header → field, as read'),
    ignoredColumns: z.array(z.string()),
    issues: z
      .array(z.object({ line: z.int(), outcome: z.string(), reason: z.string().optional() }))
      .describe('The first 1,000 rows that were not added'),
  }),
  example: { input: { csv: 'First Name,Email\nAda,ada@analytical.example\n' } },
})
