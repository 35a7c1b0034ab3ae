import { z } from 'zod'
import { operation } from './operation.ts'
import { base, flag, id, pageInput, pageSchema, patchText, time } from './page.ts'
import type { Role } from './permissions.ts'

export const notificationKinds = ['reply', 'approval', 'task', 'problem', 'campaign'] as const
export type NotificationKind = (typeof notificationKinds)[number]

export const notificationEmails = ['at_once', 'digest', 'never'] as const

/** Default hour of the day at which the digest is sent. */
export const defaultDigestHour = 8

export type NotificationChoice = { isInApp: boolean; email: (typeof notificationEmails)[number] }

/** Returns the default notification settings of a role for a kind of notification. */
export const getDefaultChoice = (kind: NotificationKind, role: Role): NotificationChoice => ({
  isInApp: true,
  email: kind === 'problem' && role === 'owner' ? 'at_once' : 'never',
})

const tag = 'Users'

const choiceFields = {
  isInApp: z.boolean().describe('Whether the web app shows the notification'),
  email: z
    .enum(notificationEmails)
    .describe(
      '`at_once`: within about a minute, at most every 15 minutes and 20 times a day, several together; `digest`: in the daily digest; `never`: no email',
    ),
}
const kindDescriptions: Record<NotificationKind, string> = {
  reply: 'A reply that waits for an answer, in conversations of yours or of your reps',
  approval: 'A message or call that an assistant prepared waits for your approval',
  task: 'A task that a user created is due; tasks of sequences are only in the digest',
  problem: 'A problem keeps campaigns from working; see listProblems',
  campaign: 'A campaign was completed',
}
const mapKinds = <T extends z.ZodType>(toSchema: (description: string) => T) =>
  Object.fromEntries(notificationKinds.map(kind => [kind, toSchema(kindDescriptions[kind])])) as Record<
    NotificationKind,
    T
  >

const digestHour = z
  .int()
  .min(0)
  .max(23)
  .describe('Hour of the day, in `timezone`, at which the daily digest is sent')

const notificationSettings = z
  .object({
    objectType: z.literal('notification_settings'),
    kinds: z.object(mapKinds(description => z.object(choiceFields).describe(description))),
    digestHour,
    timezone: z.string().describe('IANA time zone of `digestHour`'),
    isAccountTimezone: z.boolean().describe('Whether `timezone` follows the account'),
    canEmail: z
      .boolean()
      .describe('Whether this installation can send email; otherwise notifications appear only in the app'),
  })
  .meta({ id: 'NotificationSettings' })

export const getNotificationSettings = operation({
  method: 'GET',
  path: '/notification-settings',
  summary: 'Get your notification settings',
  description:
    'Returns which events you are notified of in this account, and whether in the web app, by email or both.',
  tag,
  extension: true,
  permission: 'User.ManageSelf',
  input: z.strictObject({}),
  output: notificationSettings,
})

export const updateNotificationSettings = operation({
  method: 'PATCH',
  path: '/notification-settings',
  summary: 'Update your notification settings',
  description:
    'Absent kinds and fields stay as they are. The daily digest is sent if at least one kind is in it, except on days with nothing to report.',
  tag,
  extension: true,
  permission: 'User.ManageSelf',
  input: z.strictObject({
    kinds: z
      .strictObject(
        mapKinds(description =>
          z
            .strictObject({ isInApp: choiceFields.isInApp.optional(), email: choiceFields.email.optional() })
            .optional()
            .describe(description),
        ),
      )
      .optional()
      .describe('Choices by kind'),
    digestHour: digestHour.optional(),
    timezone: patchText(64).describe(
      "IANA time zone of the digest, such as Europe/Lisbon; null for the account's",
    ),
  }),
  output: notificationSettings,
  example: { input: { kinds: { reply: { email: 'digest' } }, digestHour: 7 } },
})

const notification = z
  .object({
    ...base('notification'),
    kind: z.enum(notificationKinds),
    title: z.string().describe('Summary of the event, in one sentence'),
    text: z.string().optional().describe('Details, such as the next step of a problem'),
    about: z.object({
      objectType: z.enum([
        'conversation',
        'email_message',
        'linkedin_message',
        'call_request',
        'task',
        'problem',
        'campaign',
      ]),
      id,
    }),
    url: z.string().describe('Page in the web app'),
    readAt: time
      .optional()
      .describe('When you read it, or when the reply was answered or the problem resolved'),
  })
  .meta({ id: 'Notification' })

export const listNotifications = operation({
  method: 'GET',
  path: '/notifications',
  summary: 'List your notifications',
  description:
    'Lists your notifications in this account, newest first. Notifications are created within about a minute, once for each event, and kept for 30 days.',
  tag,
  extension: true,
  permission: 'User.ManageSelf',
  input: z.strictObject({
    ...pageInput,
    unread: flag.describe('Only unread notifications'),
  }),
  output: pageSchema(notification, 'Notification'),
})

export const readNotifications = operation({
  method: 'POST',
  path: '/notifications/read',
  summary: 'Mark notifications as read',
  description:
    'Marks the given notifications, or all of yours in this account. Notifications of other users are ignored.',
  tag,
  extension: true,
  permission: 'User.ManageSelf',
  input: z.strictObject({
    notificationIds: z
      .array(id)
      .min(1)
      .max(100)
      .optional()
      .describe('Notifications to mark; all when absent'),
  }),
  output: z
    .object({ count: z.int().min(0).describe('Number of notifications that were unread') })
    .meta({ id: 'ReadNotifications' }),
  example: { input: { notificationIds: ['01995c3e-8a40-7f00-8000-000000000001'] } },
})
