import { z } from 'zod'
import { csv, csvLimits } from './csv.ts'
import { type Operation, operation } from './operation.ts'
import {
  base,
  changedLines,
  dayInput,
  id,
  lines,
  optionalLines,
  optionalText,
  pageInput,
  pageOf,
  text,
  time,
} from './page.ts'
import { schedule } from './schedule.ts'

export const campaignStatuses = ['draft', 'active', 'paused', 'completed'] as const

const newProspectsPerDay = z
  .int()
  .min(1)
  .max(1_000_000)
  .nullish()
  .describe(
    "How many prospects may get their first step on one day of the calendar where the campaign is: in the schedule's time zone, else the account's. Null or absent: no limit",
  )

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
  'signature',
] as const
export type TemplateVariable = (typeof templateVariables)[number]

const variableNames = templateVariables.map(name => `\`${name}\``).join(', ')

/** Steps that a person does, as a task of the rep. */
export const taskChannels = [
  'linkedin_connect',
  'linkedin_message',
  'linkedin_view',
  'linkedin_like',
  'task',
] as const
/** How a step can reach a prospect. */
export const stepChannels = ['email', 'call', ...taskChannels] as const
/** What LinkedIn takes as the note of an invitation from everybody. */
export const longestNote = 200
export const delayUnits = ['minutes', 'hours', 'days', 'business_days'] as const
export const stepThreads = ['same', 'new'] as const
/** What becomes of the sequence of somebody who picked up. */
export const answeredRules = ['stop', 'continue'] as const

const subjectInput = optionalText(998).describe('Subject as a Liquid template, as in `Hello {{ firstName }}`')
const bodyInput = lines(100_000).describe(
  `Body as a Liquid template; plain text, or HTML when it holds tags. Both templates may use ${variableNames}. \`title\` and \`jobTitle\` are the same; \`repName\`, \`senderName\` and \`senderEmail\` are of the one who sends; the rep's \`signature\` stands below the body unless the step says where. \`{Hi|Hello}\` says one of the words, always the same one to a prospect; choices may hold choices and Liquid, and braces without \`|\` between them stand for themselves.`,
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

const delayFrom = (least: number) =>
  z.strictObject({ amount: z.int().min(least).max(10_000), unit: z.enum(delayUnits) })

const callInput = z.strictObject({
  assistantId: id.optional().describe('The assistant that calls; needed for the launch'),
  data: z
    .record(text(100), lines(5000))
    .optional()
    .describe(
      'Facts handed to the assistant, each a Liquid template with the same variables as a body; at most 16 kB as JSON',
    ),
  onAnswered: z
    .enum(answeredRules)
    .default('stop')
    .describe(
      'What follows when somebody picks up: with `stop` the prospect counts as `replied` and gets nothing more; with `continue` the next step comes.',
    ),
  retries: z
    .int()
    .min(0)
    .max(5)
    .default(2)
    .describe(
      'How often it is tried again when nobody picks up, the line is busy, a voicemail answers or the call fails; then the next step comes.',
    ),
  retryAfter: delayFrom(1)
    .default({ amount: 4, unit: 'hours' })
    .describe('How long after each call that reached nobody'),
})

export const stepInput = z.strictObject({
  id: id.optional().describe('The step that it changes, wherever it stands now'),
  position: z.int().min(1).optional().describe('May be left out: the order of the list is that of the steps'),
  channel: z
    .enum(stepChannels)
    .default('email')
    .describe(
      'How the step reaches the prospect. `call` lets an assistant call, as `call` of the step says; all others but `email` become tasks of the rep: `linkedin_connect` is an invitation, its `body` a note or absent; `linkedin_message` writes to somebody who is connected; `linkedin_view` and `linkedin_like` look at the profile and like a post, without a text; the `body` of a `task` says what to do.',
    ),
  delay: delayFrom(0)
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
  acceptWithinDays: z
    .int()
    .min(1)
    .max(365)
    .optional()
    .describe(
      'Of `linkedin_message` alone: so long it waits for the invitation before it to be accepted; then it is left out. 21 unless told. Its `delay` counts from the acceptance.',
    ),
  call: callInput.optional().describe('Of a `call` alone'),
  subject: subjectInput,
  body: bodyInput.optional().describe('With `subject` in place of `variants`: a step in one variant'),
  variants: z.array(variantInput).min(1).max(10).optional(),
})

const delay = z.object({ amount: z.int(), unit: z.enum(delayUnits) })

const step = z
  .object({
    id,
    position: z.int().min(1).describe('1 is the first step'),
    channel: z.enum(stepChannels),
    delay,
    thread: z.enum(stepThreads).optional().describe('Of an email'),
    acceptWithinDays: z.int().optional().describe('Of a `linkedin_message`'),
    call: z
      .object({
        assistantId: id.optional(),
        data: z.record(z.string(), z.string()).optional(),
        onAnswered: z.enum(answeredRules),
        retries: z.int(),
        retryAfter: delay,
      })
      .optional()
      .describe('Of a `call`'),
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
    schedule: schedule.optional(),
    newProspectsPerDay: z.int().optional(),
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
    description: optionalLines(2000),
    repIds: z.array(id).max(100).default([]),
    settings: settings.prefault({}),
    newProspectsPerDay,
    schedule: schedule
      .optional()
      .describe("When it may send, by the prospect's clock; when absent at any time"),
    steps: z.array(stepInput).max(maxSteps).default([]).describe('The same as setting the steps later'),
  }),
  output: campaignWithSteps,
  example: {
    input: {
      name: 'Spring trial',
      repIds: [],
      newProspectsPerDay: 40,
      schedule: {
        windows: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '09:00', to: '17:00' }],
        timezone: 'Europe/London',
        holidays: ['2026-12-25', '2026-12-28'],
      },
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
    description: changedLines(2000),
    repIds: z.array(id).max(100).optional(),
    settings: z
      .strictObject({ isEvergreen: z.boolean().optional(), skipActiveElsewhere: z.boolean().optional() })
      .optional(),
    newProspectsPerDay,
    schedule: schedule
      .nullish()
      .describe('Takes the place of the one before; what waits is due by the new one. Null: at any time'),
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

const count = z.int().min(0)

/** Each mail counts once in a number, and so does each prospect in those that speak of people. */
const answerNumbers = {
  replied: count.describe(
    'Prospects who answered themselves, whatever they said: by mail, on LinkedIn, or by picking up a call that ends the sequence',
  ),
  autoReplied: count.describe('Prospects for whom a program answered, as when they are away'),
  optedOut: count.describe(
    'Prospects who asked not to be contacted any more, in whichever way and whichever campaign',
  ),
  complaints: count.describe('Prospects who reported a mail as spam'),
}

const numbers = {
  sent: count.describe('Mails that a mail server took'),
  delivered: count.describe(
    'Of these, the ones that no server reported as undelivered: `sent` less `bouncedHard`, `bouncedSoft` and `blocked`',
  ),
  bouncedHard: count.describe('Mails that came back because the address does not exist'),
  bouncedSoft: count.describe('Mails that came back for a reason that may pass'),
  blocked: count.describe('Mails that came back because the server would not have them from this sender'),
  refused: count.describe(
    'Mails that a server refused at once and for good, as when the address does not exist; not in `sent`',
  ),
  ...answerNumbers,
}

export const getCampaignStats = operation({
  method: 'GET',
  path: '/campaigns/{campaignId}/stats',
  summary: 'Get the numbers of a campaign',
  description:
    'Counted afresh from the mails themselves. What came back counts for the step, the variant and the person whose mail it is about; of several answers of a prospect the first. An answer on LinkedIn counts for the step whose invitation or message was done last. The numbers of the steps and `outsideSteps` add up to those of the campaign.',
  tag: 'Campaigns',
  extension: true,
  permission: 'Campaign.ReadCampaign',
  input: one
    .extend({
      from: dayInput
        .optional()
        .describe('First of the `days`, in the account’s time zone; 30 days by default'),
      to: dayInput.optional().describe('Last of the `days`; today by default'),
    })
    .refine(({ from, to }) => !from || !to || from <= to, { path: ['from'], error: 'is after `to`' }),
  output: z
    .object({
      objectType: z.literal('campaign_stats'),
      campaignId: id,
      enrolled: count.describe('Prospects in it'),
      prospects: z.record(z.string(), count).describe('How many of them stand at each status'),
      ...numbers,
      steps: z.array(
        z.object({
          stepId: id,
          position: z.int().optional().describe('Absent when the step was removed'),
          ...numbers,
          tasks: z
            .object({
              open: count,
              completed: count,
              skipped: count,
              cancelled: count.describe('Not to be done any more: the prospect answered, or is out'),
            })
            .optional()
            .describe('Of a step that becomes tasks'),
          calls: z
            .object({
              open: count.describe('Queued, or on the phone'),
              answered: count,
              voicemail: count,
              noAnswer: count,
              busy: count,
              failed: count,
              refused: count,
            })
            .optional()
            .describe(
              'Of a step that calls: each attempt counts once; those that were withdrawn before they were dialed count nowhere',
            ),
          variants: z.array(z.object({ variantId: id, ...numbers })),
        }),
      ),
      outsideSteps: z
        .object(answerNumbers)
        .describe('Answers to what a person wrote by hand, and opt-outs elsewhere, as in another campaign'),
      days: z
        .array(z.object({ date: dayInput, ...numbers }))
        .describe(
          'Every day asked for; `delivered` and what came back by bounce stand at the day of the sending, the rest at its own',
        ),
    })
    .meta({ id: 'CampaignStats' }),
})

export const previewWarnings = [
  'missing_variable',
  'template',
  'long_subject',
  'no_opt_out_line',
  'no_postal_address',
  'no_mailbox',
  'no_email',
  'no_rep',
  'no_linkedin_url',
  'long_note',
  'no_phone',
  'no_assistant',
  'no_consent',
  'do_not_contact',
] as const

const contact = z.object({ name: z.string(), email: z.string() })

export const previewCampaign = operation({
  method: 'POST',
  path: '/campaigns/{campaignId}/preview',
  summary: 'Preview a step of a campaign',
  description:
    'The mail as this prospect would get it now, the text of the task, or what an assistant would be told for its call, put together by what puts together those that are sent; nothing is sent or kept, and its link to opt out leads nowhere. For a prospect, or for a person made up of fields; unless told, for the first prospect of the campaign. What has no value stands in brackets and is told in `warnings`.',
  tag: 'Campaigns',
  extension: true,
  permission: 'Campaign.ReadCampaign',
  input: one
    .extend({
      stepId: id.optional().describe('The step; unless told, the first'),
      prospectId: id.optional().describe('A prospect of the campaign'),
      person: z
        .strictObject({
          firstName: optionalText(200),
          lastName: optionalText(200),
          company: optionalText(200),
          jobTitle: optionalText(200),
          email: optionalText(320),
          linkedinUrl: optionalText(2000),
          phone: optionalText(50),
          city: optionalText(200),
          state: optionalText(200),
          country: optionalText(200),
        })
        .optional()
        .describe('Somebody made up'),
      variantId: id.optional().describe('The variant; unless told, the one that the prospect gets'),
    })
    .refine(({ prospectId, person }) => !prospectId || !person, {
      path: ['person'],
      message: 'give a prospect or a person, not both',
    }),
  output: z.object({
    stepId: id,
    channel: z.enum(stepChannels),
    variantId: id.optional().describe('Absent of a step without a text'),
    prospectId: id.optional().describe('For whom it is, when it is for a prospect'),
    from: contact.optional(),
    to: contact.optional(),
    call: z
      .object({
        assistantId: id.optional(),
        phoneNumber: z.string().optional(),
        data: z.record(z.string(), z.string()),
      })
      .optional()
      .describe('Of a call: who would call which number, and what the assistant would be told'),
    subject: z.string(),
    text: z.string().describe('The body as a mail program without HTML shows it'),
    html: z.string(),
    headers: z
      .array(z.object({ name: z.string(), value: z.string() }))
      .describe('As they would leave; none while sender or address are missing'),
    sizeBytes: z.int().optional().describe('Of the whole mail'),
    warnings: z
      .array(z.object({ code: z.enum(previewWarnings), message: z.string() }))
      .describe('What keeps the mail from leaving like this, or from being read'),
  }),
  example: {
    input: { person: { firstName: 'Ada', company: 'Analytical', email: 'ada@analytical.example' } },
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

export const launchCampaign = {
  ...move(
    'launch',
    'Launch a campaign',
    'Turns a draft active. It needs a step and a rep; with an email among its steps a rep with a working mailbox, and the account a postal address and an opt-out line. Prospects without a value for something that a step says, and has no fallback for, are told in `incomplete` and are `failed` with the reason `missing_variable`; given the value, they come in by themselves. When that is everybody, the campaign stays a draft.',
  ),
  timeoutMs: 120_000,
  output: campaignWithSteps.extend({
    incomplete: z
      .object({
        total: z.int().describe('How many lack something'),
        prospects: z
          .array(z.object({ prospectId: id, personId: id, variables: z.array(z.string()) }))
          .describe('The first 100 of them, with what they lack'),
      })
      .optional(),
    domainWarnings: z
      .array(z.string())
      .optional()
      .describe('What the DNS of the sending domains lacks; mails may be refused or taken for spam'),
  }),
} satisfies Operation
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

/**
 * Fields of one prospect as a caller gives them; unknown ones are ignored and named in `warnings`. They often are cells of
 * a spreadsheet, so line breaks in them are not refused but become spaces.
 */
export const prospectInput = z
  .looseObject({
    firstName: optionalLines(200),
    lastName: optionalLines(200),
    company: optionalLines(200),
    jobTitle: optionalLines(200),
    email: optionalLines(320),
    linkedinUrl: optionalLines(2000),
    phone: optionalLines(50),
  })
  .describe(
    'At least one of `email`, `linkedinUrl` and `phone`, or all of `firstName`, `lastName` and `company`. Other fields are ignored and named in `warnings`',
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
    warnings: z
      .array(z.string())
      .optional()
      .describe('Keys that were ignored, and prospects without a value for a variable that a step uses'),
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
  ...csvLimits,
  input: one.extend({
    csv,
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
    incomplete: z
      .object({
        total: z.int(),
        rows: z.array(z.object({ line: z.int(), variables: z.array(z.string()) })).describe('The first 100'),
      })
      .optional()
      .describe(
        'Rows that were added but have no value for a variable that a step uses: nothing is sent to them until they do',
      ),
  }),
  example: { input: { csv: 'First Name,Email\nAda,ada@analytical.example\n' } },
})
