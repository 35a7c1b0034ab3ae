import { z } from 'zod'
import { operation } from './operation.ts'
import {
  base,
  changeFilter,
  id,
  inFlight,
  optionalText,
  pageInput,
  pageSchema,
  time,
  withChangeFilter,
} from './page.ts'
import { replyIntents } from './reply-agent.ts'

export const prospectStatuses = [
  'pending',
  'active',
  'paused',
  'replied',
  'out_of_office',
  'completed',
  'stopped',
  'bounced',
  'opted_out',
  'failed',
] as const

/** Reasons a prospect's next step waits. */
export const holds = [
  'do_not_contact',
  'sending_paused',
  'campaign_draft',
  'campaign_paused',
  'campaign_completed',
  'prospect_paused',
  'out_of_office',
  'delay',
  'window',
  'schedule_over',
  'no_working_mailbox',
  'no_postal_address',
  'server_unavailable',
  'inbox_stale',
  'new_prospects_cap',
  'daily_cap',
  'gap',
  'retry',
  'no_rep',
  'not_accepted',
  'being_sent',
  'open_task',
  'open_call',
] as const

const next = z.object({
  step: z.int().min(1).describe('Position in the campaign, from 1'),
  stepId: id,
  dueAt: time
    .optional()
    .describe(
      'Earliest time at which the step can be done, as currently known; absent if the step waits for a person',
    ),
  heldBy: z
    .enum(holds)
    .optional()
    .describe(
      "Reason the step waits; absent if the step is about to be done. `do_not_contact`: the person opted out or is on the Do Not Contact list, so the step is never done; `sending_paused`: the account has paused all sending; `delay`: the delay of the step has not passed; `out_of_office`: the person's automatic reply says that they are away; `window`: outside the campaign's schedule in the prospect's time zone; `schedule_over`: the schedule's last date has passed; `no_working_mailbox`: no mailbox of the rep, or of any rep of the campaign, can send: each fails, is unverified or was paused automatically; `no_postal_address`: the account has no postal address, which campaign emails require; `server_unavailable`: the mail server is unavailable; `inbox_stale`: the inbox could not be read for a while and may hold a reply; `new_prospects_cap`: the campaign has reached its daily limit of new prospects; `daily_cap`: the mailbox has reached its daily limit; `gap`: the minimum time since the mailbox's last email has not passed; `retry`: the step is tried again after a failure; `being_sent`: the message is queued; `no_rep`: the campaign has no rep; `not_accepted`: the invitation has not been accepted yet; `open_task`: the rep has not completed the task; `open_call`: the call is queued or in progress.",
    ),
})

const textOrNone = z.string().optional()

/** The fields of a person that other objects embed. */
export const personInBrief = z.object({
  id: id.describe('Person ID'),
  firstName: textOrNone,
  lastName: textOrNone,
  email: textOrNone,
  company: textOrNone.describe('Company name'),
})

export const prospect = z
  .object({
    ...base('prospect'),
    personId: id.describe('Person ID'),
    person: personInBrief.optional().describe('The person, in brief'),
    campaignId: id.describe('Campaign ID'),
    status: z.enum(prospectStatuses).optional(),
    statusReason: z
      .string()
      .optional()
      .describe(
        'Reason for the status, such as `do_not_contact`. `paused` with `undeliverable_domain`: the domain of the address receives no email; correct the address, and the sequence continues',
      ),
    intent: z.enum(replyIntents).optional().describe('Intent of the latest classified reply'),
    step: z.int().min(0).optional().describe('Number of steps done'),
    nextStepAt: time.optional().describe('When the next step is due'),
    repId: id.optional().describe('Rep who contacts the prospect'),
    next: next
      .optional()
      .describe('The next step, its time and what it waits for; absent in lists, and if there is none'),
  })
  .meta({ id: 'Prospect' })

const idInput = z.strictObject({ prospectId: id.describe('Prospect ID') })

export const listProspects = operation({
  method: 'GET',
  path: '/prospects',
  summary: 'List prospects',
  description: 'Lists prospects of all campaigns.',
  tag: 'Prospects',
  permission: 'Prospect.ReadProspect',
  input: withChangeFilter(
    z.strictObject({
      ...pageInput,
      ...changeFilter,
      campaignId: id.optional().describe('Only prospects of this campaign'),
      personId: id.optional().describe('Only this person, in all campaigns'),
      email: optionalText(320).describe('Only the person with this email address'),
      status: z
        .array(z.enum(prospectStatuses))
        .max(20)
        .optional()
        .describe('Only prospects with one of these statuses'),
      intent: z
        .array(z.enum(replyIntents))
        .max(20)
        .optional()
        .describe('Only prospects whose latest classified reply has one of these intents'),
    }),
  ),
  output: pageSchema(prospect, 'Prospect'),
})

export const campaignProspect = prospect
  .extend({
    person: personInBrief
      .extend({ title: textOrNone, timezone: textOrNone.describe('IANA time zone, such as Europe/Lisbon') })
      .describe('Contact details'),
    emailThreadId: id.optional().describe('Latest email thread'),
  })
  .meta({ id: 'CampaignProspect' })

export const listCampaignProspects = operation({
  method: 'GET',
  path: '/campaigns/{campaignId}/prospects',
  summary: 'List prospects of a campaign with contact details',
  description:
    'Like listProspects for one campaign, with the title and time zone of each person and the latest email thread.',
  tag: 'Prospects',
  extension: true,
  permission: 'Prospect.ReadProspect',
  input: z.strictObject({
    campaignId: id.describe('Campaign ID'),
    ...pageInput,
    status: z.enum(prospectStatuses).optional().describe('Only prospects with this status'),
  }),
  output: pageSchema(campaignProspect, 'CampaignProspect'),
})

export const getProspect = operation({
  method: 'GET',
  path: '/prospects/{prospectId}',
  summary: 'Get a prospect',
  tag: 'Prospects',
  permission: 'Prospect.ReadProspect',
  description: '`next` is the next step, when it is due and what it waits for.',
  input: idInput,
  output: prospect,
})

export const pauseProspect = operation({
  method: 'POST',
  path: '/prospects/{prospectId}/pause',
  summary: 'Pause a prospect',
  description:
    'Pauses the prospect until you resume it. After the response, nothing more is sent to the prospect in this campaign, except what `inFlight` counts.',
  tag: 'Prospects',
  extension: true,
  permission: 'Prospect.EditProspect',
  input: idInput,
  output: prospect.extend({ inFlight }),
})

const prospectIds = z.array(id).min(1).max(100).describe('1 to 100 prospect IDs')

const expectedPeople = z
  .int()
  .min(0)
  .optional()
  .describe('Number of people that you expect to be affected. If the number differs, nothing changes')

const selection = {
  prospectIds: prospectIds.optional(),
  companyId: id
    .optional()
    .describe('Company whose people are selected, at most 100; in place of `prospectIds`'),
  expectedPeople,
}

const isOneSelection = ({ prospectIds, companyId }: { prospectIds?: unknown; companyId?: unknown }) =>
  (prospectIds === undefined) !== (companyId === undefined)
const selectionError = {
  path: ['prospectIds'],
  error: 'exactly one of `prospectIds` and `companyId` is required',
}

const outcomeOrder = 'One element per prospect, in the requested order'

const alreadyEnded = '`already_ended`: the sequence had already ended, so the status did not change'

export const pauseProspects = operation({
  method: 'POST',
  path: '/prospects/pause',
  summary: 'Pause prospects',
  description:
    'Pauses these prospects until you resume them. After the response, nothing more is sent to them in their campaigns, except what `inFlight` counts. With `companyId`, pauses all prospects at the company whose sequences have not ended, in all campaigns.',
  tag: 'Prospects',
  extension: true,
  permission: 'Prospect.EditProspect',
  input: z.strictObject(selection).refine(isOneSelection, selectionError),
  output: z.object({
    data: z
      .array(
        z.object({
          prospectId: id,
          personId: id,
          outcome: z.enum(['paused', 'already_paused', 'already_ended']).describe(alreadyEnded),
        }),
      )
      .describe(outcomeOrder),
    total: z.int(),
    paused: z.int(),
    skipped: z.int().describe('Prospects that were already paused or whose sequence had already ended'),
    inFlight,
  }),
  example: { input: { prospectIds: ['019aaf6e-5f00-7000-8000-00000000001a'], expectedPeople: 1 } },
})

export const resumeProspects = operation({
  method: 'POST',
  path: '/prospects/resume',
  summary: 'Resume paused or bounced prospects',
  description:
    'Resumes each of these prospects as `resumeProspect` does. A prospect that cannot be resumed, for example because the person is on the Do Not Contact list, stays unchanged, and `reason` says why. With `companyId`, resumes all paused prospects at the company, in all campaigns.',
  tag: 'Prospects',
  extension: true,
  permission: 'Prospect.EditProspect',
  reachesOutside: 'always',
  input: z.strictObject(selection).refine(isOneSelection, selectionError),
  output: z.object({
    data: z
      .array(
        z.object({
          prospectId: id,
          personId: id,
          outcome: z.enum(['resumed', 'do_not_contact', 'not_resumable']),
          reason: z.string().optional().describe('Reason the prospect was not resumed'),
        }),
      )
      .describe(outcomeOrder),
    total: z.int(),
    resumed: z.int(),
    skipped: z.int(),
  }),
  example: { input: { prospectIds: ['019aaf6e-5f00-7000-8000-00000000001a'], expectedPeople: 1 } },
})

export const stopModes = ['stop', 'remove'] as const

export const stopProspects = operation({
  method: 'POST',
  path: '/prospects/stop',
  summary: 'Stop prospects',
  description:
    'Ends the sequences of these prospects for good: they become `stopped`, and queued steps, open tasks and queued calls of the sequence are withdrawn. Nothing more is sent after the response, except what `inFlight` counts. To continue later, pause the prospects instead. `remove` also deletes the prospects who have no message, task, call or meeting in their campaign; all others remain as `stopped`, because statistics and opt-outs refer to them. With `companyId`, stops all prospects at the company whose sequences have not ended, in all campaigns.',
  tag: 'Prospects',
  extension: true,
  permission: 'Prospect.EditProspect',
  input: z
    .strictObject({
      ...selection,
      mode: z
        .enum(stopModes)
        .default('stop')
        .describe('`remove` also deletes prospects who were never contacted in their campaign'),
    })
    .refine(isOneSelection, selectionError),
  output: z.object({
    data: z
      .array(
        z.object({
          prospectId: id,
          personId: id,
          outcome: z.enum(['stopped', 'removed', 'already_ended']).describe(alreadyEnded),
        }),
      )
      .describe(outcomeOrder),
    total: z.int(),
    stopped: z.int(),
    removed: z.int(),
    skipped: z.int().describe('Prospects whose sequence had already ended'),
    inFlight,
  }),
  example: {
    input: { prospectIds: ['019aaf6e-5f00-7000-8000-00000000001a'], mode: 'stop', expectedPeople: 1 },
  },
})

export const moveOutcomes = [
  'moved',
  'already_in_campaign',
  'do_not_contact',
  'in_other_active_campaign',
] as const

export const moveProspects = operation({
  method: 'POST',
  path: '/prospects/move',
  summary: 'Move prospects to another campaign',
  description:
    'Stops these prospects, as `stopProspects` does, and adds the same people to another campaign, where they start with the first step. Prospects whose sequence had already ended keep their status. A prospect that the other campaign does not accept stays unchanged, with the reason as its outcome. If an ID is unknown, nothing is moved.',
  tag: 'Prospects',
  extension: true,
  permission: 'Prospect.EditProspect',
  reachesOutside: 'launched_campaign',
  rateLimit: 'addProspects',
  input: z.strictObject({
    prospectIds,
    campaignId: id.describe('Target campaign: a draft, active or paused'),
    expectedPeople,
  }),
  output: z.object({
    data: z
      .array(
        z.object({
          prospectId: id,
          personId: id,
          outcome: z.enum(moveOutcomes),
          newProspectId: id.optional().describe('Prospect in the other campaign'),
          reason: z.string().optional().describe('Reason the prospect was not moved'),
        }),
      )
      .describe(outcomeOrder),
    total: z.int(),
    moved: z.int(),
    skipped: z.int(),
    warnings: z
      .array(z.string())
      .optional()
      .describe('Prospects without a value for a variable that a step uses'),
    inFlight,
  }),
  example: {
    input: {
      prospectIds: ['019aaf6e-5f00-7000-8000-00000000001a'],
      campaignId: '019aaf6e-5f00-7000-8000-00000000002b',
      expectedPeople: 1,
    },
  },
})

export const resumeProspect = operation({
  method: 'POST',
  path: '/prospects/{prospectId}/resume',
  summary: 'Resume a paused or bounced prospect',
  description:
    'A bounced prospect can be resumed once the person has another email address. The step that bounced is sent again, to the new address; steps that were delivered are not. Refused if the person is on the Do Not Contact list.',
  tag: 'Prospects',
  extension: true,
  permission: 'Prospect.EditProspect',
  reachesOutside: 'always',
  input: idInput,
  output: prospect,
})
