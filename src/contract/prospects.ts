import { z } from 'zod'
import { operation } from './operation.ts'
import { base, id, pageInput, pageOf, time } from './page.ts'

export const prospectStatuses = [
  'pending',
  'active',
  'paused',
  'replied',
  'out_of_office',
  'completed',
  'bounced',
  'opted_out',
  'failed',
] as const

/** What a prospect's next step waits for. */
export const holds = [
  'do_not_contact',
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
  'mailbox_waits',
  'inbox_stale',
  'new_prospects_cap',
  'daily_cap',
  'gap',
  'retry',
  'no_rep',
  'not_accepted',
  'on_its_way',
  'open_task',
  'open_call',
] as const

const next = z.object({
  step: z.int().min(1).describe('Its place among the steps of the campaign'),
  stepId: id,
  dueAt: time
    .optional()
    .describe('The earliest time at which it goes out as things stand; absent when that depends on somebody'),
  heldBy: z
    .enum(holds)
    .optional()
    .describe(
      "What holds it now; absent when it goes out in a moment. `do_not_contact`: the person opted out or is on the Do Not Contact list, so it never goes out; `delay`: the step's own; `out_of_office`: their automatic reply says that they are away until then; `window`: the campaign's schedule is closed where the prospect is; `schedule_over`: its last date has passed; `no_working_mailbox`: no mailbox of the rep, or of any rep of the campaign, sends; `no_postal_address`: the account has none, and no campaign email goes out without; `mailbox_waits`: the mail server of its mailbox is away; `inbox_stale`: a reply may wait where nothing could be read for a while; `new_prospects_cap`: the campaign has begun as many prospects as it may today; `daily_cap` and `gap`: the mailbox may send again only then; `retry`: something kept it back, and it is tried again; `on_its_way`: it is written and queued; `no_rep`: the campaign has nobody to do it; `not_accepted`: the invitation before it waits to be accepted; `open_task`: it is a task that its rep has to do; `open_call`: it is a call that waits, or is under way.",
    ),
})

export const prospect = z
  .object({
    ...base('prospect'),
    personId: id.describe('The person this prospect is'),
    campaignId: id.describe('The campaign it belongs to'),
    status: z.enum(prospectStatuses).optional(),
    statusReason: z.string().optional().describe('Why it is in that state, as in `do_not_contact`'),
    step: z.int().min(0).optional().describe('Steps done so far'),
    nextStepAt: time.optional().describe('When the next step is due'),
    repId: id.optional().describe('The rep in whose name it is contacted'),
    next: next
      .optional()
      .describe('What comes next, when, and what holds it; absent in lists, and when nothing is to come'),
  })
  .meta({ id: 'Prospect' })

const one = z.strictObject({ prospectId: id.describe('The prospect') })

export const listProspects = operation({
  method: 'GET',
  path: '/prospects',
  summary: 'List prospects',
  description: 'Across all campaigns of the account.',
  tag: 'Prospects',
  permission: 'Prospect.ReadProspect',
  input: z.strictObject({
    ...pageInput,
    campaignId: id.optional().describe('Only prospects of this campaign'),
  }),
  output: pageOf(prospect, 'Prospect'),
})

const textOrNone = z.string().optional()

export const campaignProspect = prospect
  .extend({
    person: z
      .object({
        firstName: textOrNone,
        lastName: textOrNone,
        email: textOrNone,
        title: textOrNone,
        company: textOrNone.describe('Its name'),
        timezone: textOrNone.describe('The one on file, as in Europe/Lisbon'),
      })
      .describe('Who it is'),
    emailThreadId: id.optional().describe('The thread of its emails, the one begun last'),
  })
  .meta({ id: 'CampaignProspect' })

export const listCampaignProspects = operation({
  method: 'GET',
  path: '/campaigns/{campaignId}/prospects',
  summary: 'List the prospects of a campaign with who they are',
  tag: 'Prospects',
  extension: true,
  permission: 'Prospect.ReadProspect',
  input: z.strictObject({
    campaignId: id.describe('The campaign'),
    ...pageInput,
    status: z.enum(prospectStatuses).optional().describe('Only prospects in this state'),
  }),
  output: pageOf(campaignProspect, 'CampaignProspect'),
})

export const getProspect = operation({
  method: 'GET',
  path: '/prospects/{prospectId}',
  summary: 'Get a prospect',
  tag: 'Prospects',
  permission: 'Prospect.ReadProspect',
  description: '`next` tells what comes next, when, and what holds it.',
  input: one,
  output: prospect,
})

export const pauseProspect = operation({
  method: 'POST',
  path: '/prospects/{prospectId}/pause',
  summary: 'Pause a prospect',
  description: 'Nothing more is sent to it in this campaign until it is resumed.',
  tag: 'Prospects',
  extension: true,
  permission: 'Prospect.EditProspect',
  input: one,
  output: prospect,
})

export const resumeProspect = operation({
  method: 'POST',
  path: '/prospects/{prospectId}/resume',
  summary: 'Resume a paused prospect',
  description: 'Refused for a person on the Do Not Contact list.',
  tag: 'Prospects',
  extension: true,
  permission: 'Prospect.EditProspect',
  input: one,
  output: prospect,
})
