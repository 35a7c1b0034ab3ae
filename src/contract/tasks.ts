import { z } from 'zod'
import { taskChannels } from './campaigns.ts'
import { operation } from './operation.ts'
import {
  base,
  changeFilter,
  flag,
  id,
  onePersonOrProspect,
  optionalMultiline,
  optionalText,
  pageInput,
  pageSchema,
  patchMultiline,
  text,
  time,
  timeInput,
  withChangeFilter,
} from './page.ts'

const tag = 'Tasks'

/** Channels of the tasks that users create. */
export const userTaskChannels = ['call', 'email', 'linkedin', 'other'] as const

export const taskStatuses = ['open', 'completed', 'skipped', 'cancelled'] as const

export const task = z
  .object({
    ...base('task'),
    channel: z.enum([...taskChannels, ...userTaskChannels]).describe('Kind of task'),
    title: z.string().optional().describe('Title; only for tasks that a user created'),
    text: z
      .string()
      .optional()
      .describe('Note or message to send, or instructions; once done, the text that was sent'),
    status: z.enum(taskStatuses),
    statusReason: z
      .string()
      .optional()
      .describe(
        "Reason it was cancelled or skipped, such as `prospect_replied`, `not_accepted` or the user's own words; for an open task, the reason it could not be sent",
      ),
    heldBy: z
      .enum(['campaign_paused', 'prospect_paused', 'invitation_cap'])
      .optional()
      .describe(
        'Reason the task cannot be done now: the campaign or prospect is paused, or (`invitation_cap`) the connected account has sent 25 invitations in 24 hours or 100 in 7 days',
      ),
    sentBy: z
      .literal('unipile')
      .optional()
      .describe('`unipile` if the connected LinkedIn account sends it for the rep'),
    sendsAt: time.optional().describe('When it is sent automatically'),
    dueAt: time,
    endedAt: time.optional().describe('When it was done, skipped or cancelled'),
    acceptedAt: time.optional().describe('When the person accepted the invitation'),
    repId: id.describe('Rep who does the task'),
    repName: z.string(),
    campaignId: id.optional().describe('Absent for a task about a person outside of campaigns'),
    campaignName: z.string().optional(),
    stepId: id.optional().describe('Campaign step; absent for a draft and for a task that a user created'),
    step: z.int().optional().describe('Position of the step in the campaign, from 1'),
    linkedinMessageId: id.optional().describe('LinkedIn draft to send'),
    prospectId: id.optional(),
    personId: id,
    personName: z.string().optional(),
    email: z.string().optional().describe('Email address of the person, if known'),
    phone: z.string().optional().describe('Phone number of the person, if known'),
    linkedinUrl: z.string().optional().describe('LinkedIn profile of the person, if known'),
  })
  .meta({ id: 'Task' })

const idInput = z.strictObject({ taskId: id.describe('Task ID') })

export const listTasks = operation({
  method: 'GET',
  path: '/tasks',
  summary: 'List tasks',
  description:
    'Lists manual campaign steps, LinkedIn drafts to send and tasks that users created, latest due date first. With the status `open` or `canComplete`, those that are due earliest come first.',
  tag,
  extension: true,
  permission: 'Task.ReadTask',
  input: withChangeFilter(
    z.strictObject({
      ...pageInput,
      ...changeFilter,
      repId: id.optional().describe('Only tasks of this rep'),
      prospectId: id.optional().describe('Only tasks for this prospect'),
      personId: id.optional().describe('Only tasks for this person'),
      status: z.enum(taskStatuses).optional().describe('Only tasks with this status'),
      canComplete: flag.describe(
        'Only open tasks that a rep can complete, which have neither `heldBy` nor `sentBy`',
      ),
      dueAfter: timeInput.optional().describe('Only tasks that are due at this time or later'),
      dueBefore: timeInput.optional().describe('Only tasks that are due before this time'),
    }),
  ),
  output: pageSchema(task, 'Task'),
})

export const getTask = operation({
  method: 'GET',
  path: '/tasks/{taskId}',
  summary: 'Get a task',
  description: 'Includes the person with their contact details, and the text to send.',
  tag,
  extension: true,
  permission: 'Task.ReadTask',
  input: idInput,
  output: task,
})

export const createTask = operation({
  method: 'POST',
  path: '/tasks',
  summary: 'Create a task',
  description:
    'Reminds a rep to call, email or message someone, outside of any sequence. Overture contacts nobody: the rep does it by hand and completes the task. The task stays open when the person replies. Refused for people on the Do Not Contact list, except with the channel `other`.',
  tag,
  extension: true,
  permission: 'Task.EditTask',
  input: z
    .strictObject({
      channel: z.enum(userTaskChannels).describe('Kind of task'),
      title: text(200).describe('What to do'),
      text: optionalMultiline(8000).describe('Notes'),
      dueAt: timeInput.describe('When it is due'),
      prospectId: id.optional().describe('Prospect the task is about'),
      personId: id.optional().describe('Person the task is about, instead of a prospect'),
      repId: id
        .optional()
        .describe("Rep who does the task; defaults to the prospect's rep, else to your only rep"),
    })
    .refine(...onePersonOrProspect),
  output: task,
  example: {
    input: {
      channel: 'call',
      title: 'Call Ada about the offer',
      dueAt: '2026-12-01T09:30:00Z',
      personId: '01980000-0000-7000-8000-000000000001',
    },
  },
})

export const updateTask = operation({
  method: 'PATCH',
  path: '/tasks/{taskId}',
  summary: 'Update a task',
  description:
    'Reschedules, renames or reassigns an open task that a user created, or reopens one that was completed or skipped. Campaign steps can only be rescheduled, and LinkedIn drafts only edited.',
  tag,
  extension: true,
  permission: 'Task.EditTask',
  input: idInput.extend({
    title: optionalText(200).describe('What to do'),
    text: patchMultiline(8000).describe('Notes'),
    dueAt: timeInput.optional().describe('When it is due'),
    repId: id.optional().describe('New rep for the task'),
    status: z.literal('open').optional().describe('Reopens a task that a user created'),
  }),
  output: task,
  example: { input: { dueAt: '2026-12-02T09:30:00Z' } },
})

export const completeTask = operation({
  method: 'POST',
  path: '/tasks/{taskId}/complete',
  summary: 'Complete a task',
  description:
    'Records the text in the conversation and starts the delay of the next step. Refused while the campaign or prospect is paused, and for a person on the Do Not Contact list.',
  tag,
  extension: true,
  permission: 'Task.EditTask',
  reachesOutside: 'sequence_task',
  input: idInput.extend({
    text: optionalMultiline(8000).describe('Text actually sent, if it differs from the text of the task'),
  }),
  output: task,
  example: { input: { text: 'Thank you for connecting, Ada!' } },
})

export const skipTask = operation({
  method: 'POST',
  path: '/tasks/{taskId}/skip',
  summary: 'Skip a task',
  description: 'Moves the prospect on to the next step. A LinkedIn draft becomes a draft again.',
  tag,
  extension: true,
  permission: 'Task.EditTask',
  reachesOutside: 'sequence_task',
  input: idInput.extend({ reason: optionalMultiline(500).describe('Reason') }),
  output: task,
  example: { input: { reason: 'Met at a trade fair' } },
})

export const acceptTask = operation({
  method: 'POST',
  path: '/tasks/{taskId}/accept',
  summary: 'Mark an invitation as accepted',
  description:
    'For a completed `linkedin_connect` task: the rep and the person are now connected, so messages that wait for the connection can be sent. Repeating the request changes nothing.',
  tag,
  extension: true,
  permission: 'Task.EditTask',
  reachesOutside: 'sequence_task',
  input: idInput,
  output: task,
})
