import { z } from 'zod'
import { operation } from './operation.ts'
import {
  base,
  id,
  optionalMultiline,
  pageInput,
  pageSchema,
  patchMultiline,
  text,
  time,
  timeInput,
} from './page.ts'

export const meetingProviders = ['cal_com', 'calendly'] as const
export const meetingSources = ['manual', ...meetingProviders, 'email'] as const
export const meetingStatuses = ['booked', 'cancelled'] as const

export const meeting = z
  .object({
    ...base('meeting'),
    prospectId: id,
    personId: id,
    campaignId: id,
    repId: id.optional(),
    source: z
      .enum(meetingSources)
      .describe('`manual`: recorded by a user or over the API; `email`: from a calendar invitation'),
    emailMessageId: id.optional().describe('Received email with the invitation, when it is in the inbox'),
    status: z.enum(meetingStatuses),
    startsAt: time,
    bookedAt: time.describe('When the meeting was recorded; it counts in statistics on that day'),
    notes: z.string().optional(),
  })
  .meta({ id: 'Meeting' })

const idInput = z.strictObject({ meetingId: id.describe('Meeting ID') })
const tag = 'Meetings'
const startsAt = timeInput.describe('When the meeting begins')

export const listMeetings = operation({
  method: 'GET',
  path: '/meetings',
  summary: 'List meetings',
  description:
    'Lists meetings that prospects booked, most recently recorded first; with `startsAfter` or `startsBefore`, in the order in which they start.',
  tag,
  extension: true,
  permission: 'Prospect.ReadProspect',
  input: z.strictObject({
    ...pageInput,
    prospectId: id.optional().describe('Only meetings with this prospect'),
    personId: id.optional().describe('Only meetings with this person'),
    campaignId: id.optional().describe('Only meetings of this campaign'),
    status: z.enum(meetingStatuses).optional().describe('Only meetings with this status'),
    startsAfter: timeInput.optional().describe('Only meetings that start at this time or later'),
    startsBefore: timeInput.optional().describe('Only meetings that start before this time'),
  }),
  output: pageSchema(meeting, 'Meeting'),
})

export const recordMeeting = operation({
  method: 'POST',
  path: '/meetings',
  summary: 'Record a meeting',
  description:
    "Records that a prospect booked a meeting. Like a reply, it ends the prospect's sequence and pauses the person's other sequences. Nobody is invited. Recording the same time again returns the same meeting.",
  tag,
  extension: true,
  permission: 'Prospect.EditProspect',
  input: z.strictObject({
    prospectId: id.describe('Prospect ID'),
    startsAt,
    notes: optionalMultiline(2000).describe('Notes about the meeting'),
  }),
  output: meeting,
  example: {
    input: { prospectId: '01980000-0000-7000-8000-000000000001', startsAt: '2026-12-01T09:00:00Z' },
  },
})

export const updateMeeting = operation({
  method: 'PATCH',
  path: '/meetings/{meetingId}',
  summary: 'Update a meeting',
  description: 'Changes the time or notes. `Conflict` if the prospect has another meeting at the new time.',
  tag,
  extension: true,
  permission: 'Prospect.EditProspect',
  input: idInput.extend({
    startsAt: startsAt.optional(),
    notes: patchMultiline(2000).describe('Notes about the meeting; null clears them'),
  }),
  output: meeting,
  example: { input: { startsAt: '2026-12-02T09:00:00Z' } },
})

export const cancelMeeting = operation({
  method: 'POST',
  path: '/meetings/{meetingId}/cancel',
  summary: 'Cancel a meeting',
  description: 'The meeting no longer counts in statistics. The sequence of the prospect stays as it is.',
  tag,
  extension: true,
  permission: 'Prospect.EditProspect',
  input: idInput,
  output: meeting,
})

const meetingWebhook = z
  .object({
    objectType: z.literal('meeting_webhook'),
    provider: z.enum(meetingProviders),
    url: z.string().describe('URL to enter at the scheduling service'),
    isConnected: z.boolean().describe('Whether a signing secret is stored; without one, events are rejected'),
    lastReceivedAt: time.optional().describe('Time of the last event with a valid signature'),
  })
  .meta({ id: 'MeetingWebhook' })

export const listMeetingWebhooks = operation({
  method: 'GET',
  path: '/meeting-webhooks',
  summary: 'List webhooks of scheduling services',
  description:
    'Lists the URLs to which Cal.com and Calendly report meetings. An event is recorded for the prospect with the email address of the invitee; other events are ignored.',
  tag,
  extension: true,
  permission: 'Account.ManageWebhooks',
  input: z.strictObject({}),
  output: z.object({ data: z.array(meetingWebhook) }),
})

export const setMeetingWebhook = operation({
  method: 'PUT',
  path: '/meeting-webhooks',
  summary: 'Connect a scheduling service',
  description: 'Stores the secret that the service signs its webhooks with. It is never shown again.',
  tag,
  extension: true,
  permission: 'Account.ManageWebhooks',
  needsRecentSignIn: true,
  input: z.strictObject({
    provider: z.enum(meetingProviders).describe('The scheduling service'),
    signingSecret: text(200)
      .min(16, 'must have at least 16 characters')
      .nullable()
      .describe('Null disconnects the service'),
  }),
  output: meetingWebhook,
  example: { input: { provider: 'cal_com', signingSecret: 'a-long-random-secret' } },
})
