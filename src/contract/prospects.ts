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

export const getProspect = operation({
  method: 'GET',
  path: '/prospects/{prospectId}',
  summary: 'Get a prospect',
  tag: 'Prospects',
  permission: 'Prospect.ReadProspect',
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
