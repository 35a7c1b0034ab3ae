import { z } from 'zod'
import { taskChannels } from './campaigns.ts'
import { operation } from './operation.ts'
import { base, id, optionalLines, pageInput, pageOf, time } from './page.ts'

const tag = 'Tasks'

export const taskStatuses = ['open', 'completed', 'skipped', 'cancelled'] as const

export const task = z
  .object({
    ...base('task'),
    channel: z.enum(taskChannels).describe('What is to be done'),
    text: z.string().optional().describe('The note or message, or what to do; once done, what was written'),
    status: z.enum(taskStatuses),
    statusReason: z
      .string()
      .optional()
      .describe(
        'Why it was cancelled, as in `prospect_replied`, or skipped, in the words of who did, or as in `not_accepted`; of an open one why it could not be sent for the rep',
      ),
    heldBy: z
      .enum(['campaign_paused', 'prospect_paused', 'invitation_cap'])
      .optional()
      .describe(
        'An open one must not be done while campaign or prospect are paused. `invitation_cap`: the connected account has sent 25 invitations in 24 hours or 100 in 7 days',
      ),
    sentBy: z
      .literal('unipile')
      .optional()
      .describe('Sent by the connected LinkedIn account in place of the rep, as soon as its pace allows'),
    sendsAt: time.optional().describe('When that is to be'),
    dueAt: time,
    endedAt: time.optional().describe('When it was done, skipped or cancelled'),
    acceptedAt: time.optional().describe('When rep and person were connected on LinkedIn'),
    repId: id.describe('Who is to do it'),
    repName: z.string(),
    campaignId: id,
    campaignName: z.string(),
    stepId: id.optional().describe('The step that asks for it; absent of a draft'),
    step: z.int().optional().describe('Its place in the campaign, from 1'),
    linkedinMessageId: id.optional().describe('The LinkedIn draft that is to be sent'),
    prospectId: id,
    personId: id,
    personName: z.string().optional(),
    linkedinUrl: z.string().optional().describe("The person's profile, when it is known"),
  })
  .meta({ id: 'Task' })

const one = z.strictObject({ taskId: id.describe('The task') })

export const listTasks = operation({
  method: 'GET',
  path: '/tasks',
  summary: 'List tasks',
  description:
    'What campaigns ask their reps to do by hand, and LinkedIn drafts that are to be sent; the one due last comes first.',
  tag,
  extension: true,
  permission: 'Task.ReadTask',
  input: z.strictObject({
    ...pageInput,
    repId: id.optional().describe('Only tasks of this rep'),
    prospectId: id.optional().describe('Only tasks about this prospect'),
    status: z.enum(taskStatuses).optional(),
  }),
  output: pageOf(task, 'Task'),
})

export const getTask = operation({
  method: 'GET',
  path: '/tasks/{taskId}',
  summary: 'Get a task',
  tag,
  extension: true,
  permission: 'Task.ReadTask',
  input: one,
  output: task,
})

export const completeTask = operation({
  method: 'POST',
  path: '/tasks/{taskId}/complete',
  summary: 'Complete a task',
  description:
    'It was done: what was written stands in the conversation from now on, and the next step waits from now on. Refused while campaign or prospect are paused, and for a person on the Do Not Contact list.',
  tag,
  extension: true,
  permission: 'Task.EditTask',
  input: one.extend({
    text: optionalLines(8000).describe('What was really written, when it is not the text of the task'),
  }),
  output: task,
  example: { input: { text: 'Thank you for connecting, Ada!' } },
})

export const skipTask = operation({
  method: 'POST',
  path: '/tasks/{taskId}/skip',
  summary: 'Skip a task',
  description:
    'It is not done, and the prospect goes on with the next step. What was a LinkedIn draft is one again.',
  tag,
  extension: true,
  permission: 'Task.EditTask',
  input: one.extend({ reason: optionalLines(500).describe('Why, kept with the task') }),
  output: task,
  example: { input: { reason: 'Met them at the fair' } },
})

export const acceptTask = operation({
  method: 'POST',
  path: '/tasks/{taskId}/accept',
  summary: 'Tell that an invitation was accepted',
  description:
    'Of a `linkedin_connect` that is completed: rep and person are connected, so that a message that waits for it may follow. The same told again changes nothing.',
  tag,
  extension: true,
  permission: 'Task.EditTask',
  input: one,
  output: task,
})
