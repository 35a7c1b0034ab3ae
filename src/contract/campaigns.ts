import { z } from 'zod'
import { csv, csvLimits } from './csv.ts'
import { customInput } from './custom-fields.ts'
import { type Operation, operation } from './operation.ts'
import {
  base,
  changeFilter,
  dayInput,
  done,
  flag,
  id,
  inFlight,
  lines,
  optionalMultiline,
  optionalText,
  pageInput,
  pageSchema,
  patchMultiline,
  patchText,
  searchQuery,
  text,
  time,
  withChangeFilter,
} from './page.ts'
import {
  mapPersonVariables,
  mapProspectInputs,
  mapVariableInputs,
  type PersonVariable,
  personFields,
} from './person-fields.ts'
import { importOptions, riskyRows } from './person-imports.ts'
import { replyInterval, variantComparison } from './reports.ts'
import { schedule } from './schedule.ts'

export const campaignStatuses = ['draft', 'active', 'paused', 'completed'] as const

const newProspectsPerDay = z
  .int()
  .min(1)
  .max(1_000_000)
  .nullish()
  .describe(
    'Maximum number of prospects who get their first step on one day, in the time zone of the schedule or, without one, the account. Null or absent: no limit',
  )

const winnerMetrics = ['replied', 'positive'] as const

const autoWinner = z
  .enum(winnerMetrics)
  .nullish()
  .describe(
    'Sets the weight of a variant to 0 once it provably gets fewer replies, or fewer positive ones. Null or absent: never',
  )

const settings = z.strictObject({
  isEvergreen: z
    .boolean()
    .default(false)
    .describe('Keep the campaign active when every prospect has finished'),
  skipActiveElsewhere: z
    .boolean()
    .default(false)
    .describe('Skip prospects who are active in another active campaign'),
  stopCompanyOnReply: z
    .boolean()
    .default(false)
    .describe(
      'When a prospect replies, books a meeting or opts out, stop the other prospects at the same company',
    ),
  holdRiskyAddresses: z
    .boolean()
    .default(false)
    .describe(
      'Pause prospects with a disposable address or a role address, such as info@, instead of sending',
    ),
  autoWinner,
})

/** Variables of step templates. Steps that need a variable are not sent to people without a value. */
export const templateVariables = [
  ...(Object.keys(mapPersonVariables(() => true)) as PersonVariable[]),
  'fullName',
  'company',
  'companyDomain',
  'repName',
  'senderName',
  'senderEmail',
  'signature',
] as const
export type TemplateVariable = (typeof templateVariables)[number]

const variableNames = templateVariables.map(name => `\`${name}\``).join(', ')

/** Channels of steps that become a task for the rep. */
export const taskChannels = [
  'linkedin_connect',
  'linkedin_message',
  'linkedin_view',
  'linkedin_like',
  'task',
] as const
/** Channels of steps. */
export const stepChannels = ['email', 'call', ...taskChannels] as const
/** Maximum length of a LinkedIn invitation note that every account may send. */
export const maxNoteLength = 200
export const delayUnits = ['minutes', 'hours', 'days', 'business_days'] as const
export const stepThreads = ['same', 'new'] as const
/** Actions after an answered call. */
export const onAnsweredActions = ['stop', 'continue'] as const

/** Sequences that a new campaign can start from. */
export const sequenceTemplateIds = [
  'first_contact',
  'inbound_request',
  'after_event',
  'lost_deal',
  'email_linkedin_call',
  'customer_renewal',
] as const

const subjectInput = optionalText(998).describe(
  'Subject as a Liquid template, such as `Hello {{ firstName }}`',
)
const bodyInput = lines(100_000).describe(
  `Body as a Liquid template; plain text, or HTML if it contains tags. Subject and body may use ${variableNames}, and the keys of custom fields. \`title\` equals \`jobTitle\`; \`repName\`, \`senderName\` and \`senderEmail\` are the sender's. The rep's \`signature\` follows the body unless the template places it. \`{Hi|Hello}\` picks one option, always the same for a prospect; options may nest and contain Liquid. Braces without \`|\` are literal.`,
)

const variantInput = z.strictObject({
  id: id.optional().describe('ID of an existing variant to update'),
  subject: subjectInput,
  body: bodyInput,
  weight: z
    .int()
    .min(0)
    .max(1000)
    .default(1)
    .describe('Share of the prospects relative to the other variants of the step; 0 turns the variant off'),
})

const delayInput = (minAmount: number) =>
  z.strictObject({ amount: z.int().min(minAmount).max(10_000), unit: z.enum(delayUnits) })

const callFields = {
  assistantId: id.optional().describe('ID of the assistant that calls; required to launch'),
  data: z
    .record(text(100), lines(5000))
    .optional()
    .describe(
      'Facts for the assistant, each a Liquid template with the variables of a body; at most 16 kB as JSON',
    ),
  onAnswered: z
    .enum(onAnsweredActions)
    .describe(
      'Action after an answered call: `stop` ends the sequence as `replied`; `continue` goes on to the next step',
    ),
  retries: z
    .int()
    .min(0)
    .max(5)
    .describe(
      'Number of retries after no answer, a busy line, voicemail or a failed call, before the next step',
    ),
  retryAfter: delayInput(1).describe('Wait between retries'),
}

const callInput = z.strictObject({
  ...callFields,
  onAnswered: callFields.onAnswered.default('stop'),
  retries: callFields.retries.default(2),
  retryAfter: callFields.retryAfter.default({ amount: 4, unit: 'hours' }),
})

export const stepInput = z.strictObject({
  id: id.optional().describe('ID of an existing step to update, at any position'),
  position: z.int().min(1).optional().describe('If present, must match the position in the list'),
  channel: z
    .enum(stepChannels)
    .default('email')
    .describe(
      'Channel of the step. `call`: an assistant calls as set in `call`. All others except `email` become tasks for the rep: `linkedin_connect` sends an invitation with `body` as an optional note; `linkedin_message` writes to a connection; `linkedin_view` visits the profile, `linkedin_like` likes a post, both without text; `task` has its instructions in `body`.',
    ),
  delay: delayInput(0)
    .optional()
    .describe(
      'Wait after the previous step or, for the first step, after the prospect was added and the campaign launched. Defaults to 3 business days; none for the first step.',
    ),
  thread: z
    .enum(stepThreads)
    .optional()
    .describe(
      "`same` replies in the previous email's thread with its subject; `new` starts a thread and needs a subject. Defaults to `same` for a step without a subject.",
    ),
  acceptWithinDays: z
    .int()
    .min(1)
    .max(365)
    .optional()
    .describe(
      'Days a `linkedin_message` waits for its invitation to be accepted before it is skipped. Defaults to 21. `delay` starts at the acceptance.',
    ),
  call: callInput.optional().describe('Settings of a `call` step'),
  subject: subjectInput,
  body: bodyInput.optional().describe('Body of a step with a single variant, in place of `variants`'),
  variants: z.array(variantInput).min(1).max(10).optional(),
})

const delay = z.object({ amount: z.int(), unit: z.enum(delayUnits) })

const step = z
  .object({
    id,
    position: z.int().min(1).describe('Position, from 1'),
    channel: z.enum(stepChannels),
    delay,
    thread: z.enum(stepThreads).optional().describe('Present only for `email` steps'),
    acceptWithinDays: z.int().optional().describe('Present only for `linkedin_message` steps'),
    call: z
      .object({
        assistantId: id.optional(),
        data: z.record(z.string(), z.string()).optional(),
        onAnswered: z.enum(onAnsweredActions),
        retries: z.int(),
        retryAfter: delay,
      })
      .optional()
      .describe('Present only for `call` steps'),
    variants: z.array(z.object({ id, subject: z.string().optional(), body: z.string(), weight: z.int() })),
  })
  .meta({ id: 'CampaignStep' })

export const campaign = z
  .object({
    ...base('campaign'),
    name: z.string(),
    status: z.enum(campaignStatuses),
    isArchived: z.boolean(),
    launchedAt: time.optional().describe('Time of the first launch'),
    description: z.string().optional(),
    repIds: z.array(id).describe('Reps the campaign sends from, in rotation'),
    settings: z.object({
      isEvergreen: z.boolean(),
      skipActiveElsewhere: z.boolean(),
      stopCompanyOnReply: z.boolean(),
      holdRiskyAddresses: z.boolean(),
      autoWinner: z.enum(winnerMetrics).optional(),
    }),
    schedule: schedule.optional(),
    newProspectsPerDay: z.int().optional(),
    health: z
      .string()
      .optional()
      .describe('Reason for which steps of the campaign wait until a person acts; absent if none do'),
  })
  .meta({ id: 'Campaign' })

const count = z.int().min(0)

const listedCampaign = campaign
  .extend({
    numbers: z
      .object({
        prospects: count,
        contacted: count.describe('Prospects who were emailed, called or contacted on LinkedIn'),
        replied: count,
        replyRate: z
          .number()
          .optional()
          .describe('`replied` per prospect contacted; absent if nobody was contacted'),
        positive: count.describe('Replies that show interest'),
        bounced: count.describe('Emails that bounced'),
        nextSendAt: time.optional().describe('When the next step is due, while the campaign is active'),
        lastActivityAt: time
          .optional()
          .describe('When the last email or LinkedIn message was sent or received; absent if there are none'),
      })
      .optional()
      .describe('Only if requested with `numbers`; computed as `getCampaignStats` and `getReport` do'),
  })
  .meta({ id: 'ListedCampaign' })

const winner = z
  .object({
    variantId: id,
    metric: z.enum(winnerMetrics),
    decidedAt: time,
    pValue: z
      .number()
      .describe(
        'Probability that chance alone causes a lead this large, corrected for the number of variants and of tests; below 0.05',
      ),
    variants: z
      .array(z.object({ variantId: id, contacted: count, successes: count }))
      .describe(
        'Numbers behind the decision: people contacted at least three days before, and how many of these replied (`positive`: with interest) within three days',
      ),
    overriddenAt: time
      .optional()
      .describe(
        'Time at which someone gave another variant a weight again; `autoWinner` no longer changes the step',
      ),
  })
  .meta({ id: 'VariantWinner' })

const campaignWithSteps = campaign
  .extend({
    steps: z.array(step),
    winners: z
      .array(z.object({ stepId: id, ...winner.shape }))
      .optional()
      .describe('Variants that `autoWinner` chose; absent if there are none'),
  })
  .meta({ id: 'CampaignWithSteps' })

const maxSteps = 30
const stepsLimitBytes = 2 * 1024 * 1024

const idInput = z.strictObject({ campaignId: id.describe('Campaign ID') })

export const campaignSorts = ['createdAt', 'name', 'lastActivityAt'] as const

export const listCampaigns = operation({
  method: 'GET',
  path: '/campaigns',
  summary: 'List campaigns',
  description: 'Lists campaigns without their steps, archived ones included unless `isArchived` is false.',
  tag: 'Campaigns',
  permission: 'Campaign.ReadCampaign',
  input: withChangeFilter(
    z.strictObject({
      ...pageInput,
      ...changeFilter,
      status: z
        .array(z.enum(campaignStatuses))
        .max(20)
        .optional()
        .describe('Only campaigns with one of these statuses'),
      query: searchQuery.optional().describe('Only campaigns whose name has these words, or similar ones'),
      isArchived: z
        .boolean()
        .optional()
        .describe('True: only archived campaigns; false: only campaigns that are not archived'),
      repId: id.optional().describe('Only campaigns of this rep'),
      numbers: flag.describe('Include `numbers`'),
      sort: z
        .enum(campaignSorts)
        .optional()
        .describe(
          'Order of the list; defaults to `createdAt`. `lastActivityAt` sorts campaigns without messages by creation time',
        ),
      order: z
        .enum(['asc', 'desc'])
        .optional()
        .describe('Direction; defaults to `asc` for `name`, and to the latest first for times'),
    }),
  ),
  output: pageSchema(listedCampaign, 'Campaign'),
})

export const createCampaign = operation({
  method: 'POST',
  path: '/campaigns',
  summary: 'Create a campaign',
  description: 'Creates a draft. Add steps, reps and prospects, then launch it.',
  tag: 'Campaigns',
  extension: true,
  permission: 'Campaign.EditCampaign',
  bodyLimitBytes: stepsLimitBytes,
  input: z.strictObject({
    name: text(200).describe('Name'),
    description: optionalMultiline(2000).describe('Note for your team; never sent'),
    repIds: z
      .array(id)
      .max(100)
      .default([])
      .describe('Reps who send the campaign; several reps share the prospects'),
    settings: settings.prefault({}).describe('Options'),
    newProspectsPerDay,
    schedule: schedule
      .optional()
      .describe("When the campaign may send, in the prospect's time zone. Defaults to any time"),
    steps: z.array(stepInput).max(maxSteps).default([]).describe('Steps; you can also set them later'),
    template: z
      .enum(sequenceTemplateIds)
      .optional()
      .describe('Copies the steps of a sequence template, instead of `steps`'),
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
      steps: [{ subject: 'Hello {{ firstName }}', body: 'Hi {{ firstName }},\n\nIs {{ company }} hiring?' }],
    },
  },
})

export const getCampaign = operation({
  method: 'GET',
  path: '/campaigns/{campaignId}',
  summary: 'Get a campaign with its steps',
  description: 'Includes the steps with their variants, the reps, the schedule and the settings.',
  tag: 'Campaigns',
  extension: true,
  permission: 'Campaign.ReadCampaign',
  input: idInput,
  output: campaignWithSteps,
})

export const updateCampaign = operation({
  method: 'PATCH',
  path: '/campaigns/{campaignId}',
  summary: 'Update a campaign',
  description:
    'Absent fields stay as they are; null clears a field. Steps are changed with setCampaignSteps.',
  tag: 'Campaigns',
  extension: true,
  permission: 'Campaign.EditCampaign',
  reachesOutside: 'launched_campaign',
  input: idInput.extend({
    name: optionalText(200).describe('Name'),
    description: patchMultiline(2000).describe('Note for your team; never sent'),
    repIds: z
      .array(id)
      .max(100)
      .optional()
      .describe(
        'Replaces the reps. Other reps take over the queued emails, open tasks and threads of removed ones',
      ),
    settings: z
      .strictObject({
        isEvergreen: z.boolean().optional(),
        skipActiveElsewhere: z.boolean().optional(),
        stopCompanyOnReply: z.boolean().optional(),
        holdRiskyAddresses: z.boolean().optional(),
        autoWinner,
      })
      .optional()
      .describe('Options; absent ones stay as they are'),
    newProspectsPerDay,
    schedule: schedule
      .nullish()
      .describe('Replaces the schedule and reschedules pending steps. Null: any time'),
  }),
  output: campaignWithSteps,
  example: { input: { name: 'Spring trial, second wave' } },
})

export const setCampaignSteps = operation({
  method: 'PUT',
  path: '/campaigns/{campaignId}/steps',
  summary: 'Set the steps of a campaign',
  description:
    'Replaces all steps, even of an active campaign. Past messages stay as they are; future ones follow the new steps. A step with an `id` keeps its identity wherever it moves, a step without one is new, and a missing step is deleted; if no step has an `id`, steps are matched by position. Nobody gets a step twice, or a step before one they already got; prospects who finished stay finished.',
  tag: 'Campaigns',
  extension: true,
  permission: 'Campaign.EditCampaign',
  reachesOutside: 'launched_campaign',
  bodyLimitBytes: stepsLimitBytes,
  input: idInput.extend({
    steps: z.array(stepInput).min(1).max(maxSteps).describe('All steps in order; those left out are removed'),
  }),
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

const { channel: _, id: __, position: ___, ...stepFields } = stepInput.shape

export const updateCampaignStep = operation({
  method: 'PATCH',
  path: '/campaigns/{campaignId}/steps/{stepId}',
  summary: 'Update a step',
  description:
    'Changes only this step, by the rules of setCampaignSteps. Absent fields stay as they are. `subject` and `body` are those of a step with a single variant.',
  tag: 'Campaigns',
  extension: true,
  permission: 'Campaign.EditCampaign',
  reachesOutside: 'launched_campaign',
  bodyLimitBytes: stepsLimitBytes,
  input: idInput.extend({
    ...stepFields,
    stepId: id.describe('Step ID'),
    subject: patchText(998).describe('Subject as a Liquid template; null removes it'),
    variants: z
      .array(
        z.strictObject({
          id: id.describe('Variant ID'),
          subject: patchText(998).describe('Subject; null removes it'),
          body: lines(100_000).optional().describe('Body'),
          weight: variantInput.shape.weight.unwrap().optional(),
        }),
      )
      .min(1)
      .max(10)
      .optional()
      .describe('Variants to change; other variants stay as they are'),
    call: z
      .strictObject({
        ...callFields,
        onAnswered: callFields.onAnswered.optional(),
        retries: callFields.retries.optional(),
        retryAfter: callFields.retryAfter.optional(),
      })
      .optional()
      .describe('Settings of a `call` step to change'),
  }),
  output: campaignWithSteps,
  example: { input: { body: 'Hi {{ firstName | default: "there" }}, did you see this?' } },
})

/** Each email counts once per metric, and so does each prospect in the metrics that count people. */
const responseNumbers = {
  replied: count.describe(
    'Prospects with a personal reply of any kind: by email, on LinkedIn, or by answering a call that ends the sequence',
  ),
  positive: count.describe('Those of `replied` whose latest classified reply shows interest'),
  autoReplied: count.describe('Prospects with an automatic reply, such as out of office'),
  optedOut: count.describe('Prospects who opted out, in any way and in any campaign'),
  complaints: count.describe('Prospects who reported an email as spam'),
  meetings: count.describe('Meetings that prospects booked and that were not cancelled'),
}

const numbers = {
  sent: count.describe('Emails accepted by a mail server'),
  delivered: count.describe(
    'Emails not reported as undelivered: `sent` minus `bouncedHard`, `bouncedSoft` and `blocked`',
  ),
  bouncedHard: count.describe('Emails that bounced because the address does not exist'),
  bouncedSoft: count.describe('Emails that bounced for a temporary reason'),
  blocked: count.describe('Emails that bounced because the server blocked the sender'),
  refused: count.describe(
    'Emails rejected immediately and permanently, for example because the address does not exist; not part of `sent`',
  ),
  ...responseNumbers,
}

export const getCampaignStats = operation({
  method: 'GET',
  path: '/campaigns/{campaignId}/stats',
  summary: 'Get campaign statistics',
  description:
    "Computed live. Bounces and replies count for the step, variant and person of the email they refer to; only a prospect's first reply counts. A LinkedIn reply counts for the step of the last invitation or message. Steps and `outsideSteps` add up to the campaign's totals.",
  tag: 'Campaigns',
  extension: true,
  permission: 'Campaign.ReadCampaign',
  input: idInput
    .extend({
      from: dayInput
        .optional()
        .describe("First day of `days`, in the account's time zone. Defaults to 30 days ago"),
      to: dayInput.optional().describe('Last day of `days`. Defaults to today'),
    })
    .refine(({ from, to }) => !from || !to || from <= to, {
      path: ['from'],
      error: 'must not be after `to`',
    }),
  output: z
    .object({
      objectType: z.literal('campaign_stats'),
      campaignId: id,
      enrolled: count.describe('Number of prospects'),
      prospects: z.record(z.string(), count).describe('Number of prospects by status'),
      ...numbers,
      steps: z.array(
        z.object({
          stepId: id,
          position: z
            .int()
            .optional()
            .describe('Position in the campaign, from 1; absent if the step was deleted'),
          ...numbers,
          tasks: z
            .object({
              open: count,
              completed: count,
              skipped: count,
              cancelled: count.describe('Cancelled because the prospect replied or left the sequence'),
            })
            .optional()
            .describe('Only for steps that become tasks'),
          calls: z
            .object({
              open: count.describe('Queued or in progress'),
              answered: count,
              voicemail: count,
              noAnswer: count,
              busy: count,
              failed: count,
              refused: count,
            })
            .optional()
            .describe(
              'Only for `call` steps. Each attempt counts once; calls withdrawn before dialing do not count',
            ),
          variants: z.array(z.object({ variantId: id, ...numbers, replyInterval })),
          comparison: z
            .object(variantComparison)
            .optional()
            .describe(
              'Whether the variants differ in their reply rates, as in `getReport`. Only for steps that were sent in several variants',
            ),
          winner: winner.optional().describe('The variant that `autoWinner` chose'),
        }),
      ),
      outsideSteps: z
        .object(responseNumbers)
        .describe(
          'Replies to manual messages, meetings booked before any email, and opt-outs elsewhere, such as in another campaign',
        ),
      days: z
        .array(z.object({ date: dayInput, ...numbers }))
        .describe(
          'All days requested. `delivered` and bounces count on the day of sending, other outcomes on the day they happened',
        ),
    })
    .meta({ id: 'CampaignStats' }),
})

export const previewWarnings = [
  'missing_variable',
  'no_signature',
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

const previewInput = idInput.extend({
  stepId: id.optional().describe('Step ID. Defaults to the first step'),
  prospectId: id.optional().describe('ID of a prospect of the campaign'),
  person: z
    .strictObject({
      ...mapVariableInputs(field => optionalText(personFields[field].maxLength)),
      company: optionalText(200),
      custom: customInput,
    })
    .optional()
    .describe('A fictitious person'),
  variantId: id.optional().describe("Variant ID. Defaults to the prospect's variant"),
})

/** Arguments of `refine` for inputs that are about a prospect or a fictitious person. */
const onePerson = [
  ({ prospectId, person }: { prospectId?: string | undefined; person?: object | undefined }) =>
    !prospectId || !person,
  { path: ['person'] as PropertyKey[], message: 'must be absent if `prospectId` is given' },
] as const

const warnings = z
  .array(z.object({ code: z.enum(previewWarnings), message: z.string() }))
  .describe('Problems that prevent sending, or impair how the message reads')

export const previewCampaign = operation({
  method: 'POST',
  path: '/campaigns/{campaignId}/preview',
  summary: 'Preview a step of a campaign',
  description:
    'Renders a step for a prospect or for a fictitious person, exactly as it would be sent: the email, the text of the task, or the data an assistant would get for its call. Defaults to the first prospect of the campaign. Nothing is sent or stored, and the opt-out link opts nobody out. Missing values appear in brackets and in `warnings`.',
  tag: 'Campaigns',
  extension: true,
  permission: 'Campaign.ReadCampaign',
  input: previewInput.refine(...onePerson),
  output: z.object({
    stepId: id,
    channel: z.enum(stepChannels),
    variantId: id.optional().describe('Absent for a step without text'),
    prospectId: id.optional().describe('Prospect the preview is for'),
    from: contact.optional(),
    to: contact.optional(),
    call: z
      .object({
        assistantId: id.optional(),
        phoneNumber: z.string().optional(),
        data: z.record(z.string(), z.string()),
      })
      .optional()
      .describe('Only for `call` steps: the assistant, the number it would call and its data'),
    subject: z.string(),
    text: z.string().describe('Body as shown by an email client without HTML'),
    html: z.string(),
    headers: z
      .array(z.object({ name: z.string(), value: z.string() }))
      .describe('Headers as sent; empty while the sender or recipient is missing'),
    sizeBytes: z.int().optional().describe('Size of the email in bytes'),
    warnings,
  }),
  example: {
    input: { person: { firstName: 'Ada', company: 'Analytical', email: 'ada@analytical.example' } },
  },
})

export const sendTestEmail = operation({
  method: 'POST',
  path: '/campaigns/{campaignId}/preview/send',
  summary: 'Send a test email',
  description:
    'Sends an email step to your own address, as the prospect or fictitious person would get it, from the mailbox that would send it or that of `repId`. The subject begins with [Test]. The email is excluded from statistics, threads and limits, and its opt-out link opts nobody out. Missing values appear in brackets and in `warnings`.',
  tag: 'Campaigns',
  extension: true,
  permission: 'Campaign.EditCampaign',
  rateLimit: 'createDraft',
  isRemote: true,
  timeoutMs: 60_000,
  input: previewInput
    .extend({ repId: id.optional().describe('Rep of the campaign who sends the email') })
    .refine(...onePerson),
  output: z.object({
    mailboxId: id,
    from: contact,
    to: contact.describe('You'),
    subject: z.string(),
    warnings,
  }),
  example: {
    input: { person: { firstName: 'Ada', company: 'Analytical', email: 'ada@analytical.example' } },
  },
})

const defineTransition = (verb: string, summary: string, description: string) =>
  operation({
    method: 'POST',
    path: `/campaigns/{campaignId}/${verb}`,
    summary,
    description,
    tag: 'Campaigns',
    extension: true,
    permission: 'Campaign.EditCampaign',
    input: idInput,
    output: campaignWithSteps,
  })

export const duplicateCampaign = operation({
  method: 'POST',
  path: '/campaigns/{campaignId}/duplicate',
  summary: 'Duplicate a campaign',
  description:
    'Creates a draft with the same steps, reps, schedule, settings and reply agent knowledge, without prospects.',
  tag: 'Campaigns',
  extension: true,
  permission: 'Campaign.EditCampaign',
  input: idInput.extend({
    name: text(200).optional().describe('Defaults to "Copy of" and the original name'),
  }),
  output: campaignWithSteps,
  example: { input: { name: 'Autumn trial' } },
})

export const deleteCampaign = operation({
  method: 'DELETE',
  path: '/campaigns/{campaignId}',
  summary: 'Delete a draft',
  description:
    'Deletes a campaign that was never launched, with its steps and prospects. The persons remain. Other campaigns can be archived.',
  tag: 'Campaigns',
  extension: true,
  permission: 'Campaign.EditCampaign',
  timeoutMs: 120_000,
  input: idInput,
  output: done,
})

export const launchWarnings = z
  .array(
    z.object({
      path: z.string().describe('Setting to change, such as `PUBLIC_URL` of the server'),
      message: z.string().describe('Problem, and how to solve it'),
    }),
  )
  .describe(
    'Problems that do not prevent the launch, such as an opt-out link that recipients of a real mailbox could not open',
  )

export const launchCampaign = {
  ...defineTransition(
    'launch',
    'Launch a campaign',
    "Activates a draft. Requires a step and a rep and, with an email step, a rep with a working mailbox, and the account's postal address and opt-out line. Mailboxes on the internet also require a `PUBLIC_URL` of the server that recipients can open, because the opt-out link leads there. Placeholders in double brackets must have been replaced. Prospects without a value for a variable that has no fallback are listed in `incomplete` and become `failed` with the reason `missing_variable` until they have the value. If every prospect is incomplete, the campaign stays a draft.",
  ),
  input: idInput.extend({
    expectedRecipients: z
      .int()
      .min(0)
      .optional()
      .describe('Launches only if exactly this many prospects would be contacted'),
  }),
  example: { input: { expectedRecipients: 250 } },
  reachesOutside: 'always',
  timeoutMs: 120_000,
  output: campaignWithSteps.extend({
    recipients: count.describe('Prospects who will be contacted'),
    firstSendAt: time.optional().describe('When the first email is sent; see forecastCampaign'),
    incomplete: z
      .object({
        total: z.int().describe('Number of prospects that lack a value'),
        prospects: z
          .array(z.object({ prospectId: id, personId: id, variables: z.array(z.string()) }))
          .describe('The first 100 of these prospects, with the missing variables'),
      })
      .optional(),
    warnings: launchWarnings.optional(),
    domainWarnings: z
      .array(z.string())
      .optional()
      .describe('Problems with the DNS of the sending domains; mail may be rejected or treated as spam'),
  }),
} satisfies Operation
export const pauseCampaign = {
  ...defineTransition(
    'pause',
    'Pause a campaign',
    'Pauses an active campaign. Nothing more is sent after the response, except what `inFlight` counts.',
  ),
  output: campaignWithSteps.extend({ inFlight }),
} satisfies Operation
export const resumeCampaign = {
  ...defineTransition(
    'resume',
    'Resume a campaign',
    'Reactivates a paused or completed campaign, which must have a rep.',
  ),
  reachesOutside: 'always',
} satisfies Operation
export const archiveCampaign = defineTransition(
  'archive',
  'Archive a campaign',
  'Archives a campaign that is not active.',
)
export const unarchiveCampaign = defineTransition(
  'unarchive',
  'Unarchive a campaign',
  'Restores an archived campaign without changing its status.',
)

/**
 * Fields of a prospect as a caller sends them. Unknown fields are ignored and listed in `warnings`. Values often come
 * from spreadsheet cells, so line breaks become spaces instead of being rejected.
 */
export const prospectInput = z
  .looseObject({
    ...mapProspectInputs(field => optionalMultiline(personFields[field].maxLength)),
    company: optionalMultiline(200),
    custom: customInput.describe('Custom field values by key; existing values are kept'),
  })
  .describe(
    'Requires `email`, `linkedinUrl` or `phone`, or `firstName`, `lastName` and `company`. Unknown fields are ignored and listed in `warnings`',
  )
  .meta({ id: 'ProspectInput' })

const skipOutcomes = [
  'already_in_campaign',
  'duplicate_in_request',
  'do_not_contact',
  'in_other_active_campaign',
] as const
export const addOutcomes = ['added', ...skipOutcomes] as const

export const addProspectsToCampaign = operation({
  method: 'POST',
  path: '/campaigns/{campaignId}/prospects',
  summary: 'Add prospects to a campaign',
  description:
    'Finds or creates a person for each element and adds them to the campaign. If one element is invalid, nothing is added.',
  tag: 'Campaigns',
  permission: 'Prospect.EditProspect',
  reachesOutside: 'launched_campaign',
  rateLimit: 'addProspects',
  bodyLimitBytes: 256 * 1024,
  input: idInput.extend({ data: z.array(prospectInput).min(1).max(20).describe('1 to 20 prospects') }),
  output: z.object({
    data: z
      .array(
        z.object({
          index: z.int().min(0).describe('Index in the request'),
          outcome: z.enum(addOutcomes),
          prospectId: id.optional(),
          personId: id.optional(),
          reason: z.string().optional().describe('Reason the prospect was not added'),
        }),
      )
      .describe('One element per requested prospect, in order'),
    total: z.int(),
    added: z.int(),
    skipped: z.int(),
    warnings: z
      .array(z.string())
      .optional()
      .describe('Unknown fields, and prospects without a value for a variable that a step uses'),
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
    'Imports a CSV file with a header row. Headers of common tools are recognized; `map` names the others. Only empty fields of existing people are filled. Invalid rows are skipped and reported. Importing the same file again adds nothing. For files over 4 MB use the command line.',
  tag: 'Campaigns',
  extension: true,
  permission: 'Prospect.EditProspect',
  reachesOutside: 'launched_campaign',
  ...csvLimits,
  input: idInput.extend({ csv, ...importOptions }),
  output: z.object({
    total: z.int().describe('Rows read'),
    added: z.int(),
    skipped: z.int(),
    invalid: z.int().describe('Invalid rows, which were skipped'),
    columns: z.record(z.string(), z.string()).describe('Header → field, as recognized'),
    ignoredColumns: z.array(z.string()),
    prospects: z
      .array(
        z.object({
          line: z.int().describe('Line of the file'),
          outcome: z.enum(['added', 'already_in_campaign', 'duplicate_in_request']),
          prospectId: id.optional().describe('Absent in a dry run if the prospect would be added'),
          personId: id.optional().describe('Absent in a dry run if the prospect would be added'),
          missing: z
            .array(z.string())
            .optional()
            .describe('Variables that a step uses and the prospect has no value for'),
        }),
      )
      .describe('The first 10,000 rows that have a prospect'),
    issues: z
      .array(
        z.object({
          line: z.int(),
          outcome: z.enum([...skipOutcomes, 'invalid']),
          reason: z.string().optional(),
        }),
      )
      .describe('The first 1,000 rows that were not added'),
    incomplete: z
      .object({
        total: z.int(),
        rows: z
          .array(z.object({ line: z.int(), variables: z.array(z.string()) }))
          .describe('The first 100 rows'),
      })
      .optional()
      .describe(
        'Added rows without a value for a variable that a step uses. Nothing is sent to them until they have one',
      ),
    riskyAddresses: riskyRows,
  }),
  example: { input: { csv: 'First Name,Email\nAda,ada@analytical.example\n' } },
})
