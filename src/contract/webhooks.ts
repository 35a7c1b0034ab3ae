import { z } from 'zod'
import { operation } from './operation.ts'
import {
  base,
  done,
  flag,
  id,
  optionalMultiline,
  pageInput,
  pageSchema,
  patchMultiline,
  text,
  time,
  timeInput,
} from './page.ts'

const tag = 'Webhooks'
const permission = 'Account.ManageWebhooks'

/** Events by the object they are about. */
export const eventFamilies = {
  prospect: [
    'created',
    'replied',
    'out_of_office',
    'paused',
    'resumed',
    'completed',
    'stopped',
    'bounced',
    'opted_out',
    'failed',
    'removed',
  ],
  person: ['merged'],
  email: ['sent', 'received', 'bounced', 'failed', 'unconfirmed', 'approval_requested'],
  linkedin: ['sent', 'received', 'approval_requested'],
  conversation: ['updated'],
  call: ['queued', 'started', 'ended'],
  task: ['created', 'completed', 'skipped', 'cancelled'],
  meeting: ['booked', 'rescheduled', 'cancelled'],
  opt_out: ['added', 'removed'],
  campaign: ['created', 'launched', 'paused', 'resumed', 'completed', 'variant_won'],
  mailbox: ['paused', 'resumed', 'failing', 'recovered'],
  problem: ['opened', 'resolved'],
} as const
export type EventFamily = keyof typeof eventFamilies

/** Lists whose changes are streamed to the web app. */
export type LiveList =
  | 'calls'
  | 'campaigns'
  | 'conversations'
  | 'emailMessages'
  | 'linkedinMessages'
  | 'mailboxes'
  | 'meetings'
  | 'notifications'
  | 'optOuts'
  | 'persons'
  | 'problems'
  | 'prospects'
  | 'tasks'

export const eventTypes = Object.entries(eventFamilies).flatMap(([family, events]) =>
  events.map(event => `${family}.${event}`),
)
const wildcards = ['*', ...Object.keys(eventFamilies).map(family => `${family}.*`)]

export const disabledReasons = ['gone', 'failing'] as const
export const webhookDeliveryStatuses = ['pending', 'delivered', 'failed'] as const

const url = text(2000).describe('HTTPS URL that receives the events')
const chosenTypes = z
  .array(z.enum([...wildcards, ...eventTypes]))
  .min(1)
  .max(100)
  .describe('Event types; `prospect.*` includes all types of a family, `*` all types')

export const webhook = z
  .object({
    ...base('webhook'),
    url: z.string(),
    eventTypes: z.array(z.string()),
    description: z.string().optional(),
    isEnabled: z.boolean(),
    disabledReason: z
      .enum(disabledReasons)
      .optional()
      .describe(
        'Reason the webhook was disabled automatically: it responded with 410 (`gone`), or failed for five days (`failing`)',
      ),
    failures: z.int().describe('Number of consecutive failed attempts'),
    failingSince: time.optional(),
    lastError: z.string().optional().describe('Error of the last attempt; absent when it succeeded'),
    lastDeliveredAt: time.optional().describe('Time of the last delivery, to the minute'),
    previousSecretEndsAt: time.optional().describe('When the previous secret stops signing'),
  })
  .meta({ id: 'Webhook' })

const withSecret = webhook
  .extend({ secret: z.string().describe('Signing secret, returned only once') })
  .meta({ id: 'NewWebhook' })

export const webhookDelivery = z
  .object({
    ...base('webhook_delivery'),
    webhookId: id,
    eventId: id.describe('ID of the event, sent as `webhook-id` with every attempt'),
    eventType: z.string(),
    status: z.enum(webhookDeliveryStatuses),
    attempts: z.int(),
    attemptedAt: time.optional(),
    nextAttemptAt: time.optional().describe('Absent before the first attempt, which is immediate'),
    data: z.string().optional().describe('First 1,000 characters of the data sent, as JSON'),
    responseStatus: z.int().optional(),
    response: z.string().optional().describe('First 1,000 characters of the response'),
    error: z.string().optional().describe('Error of the last attempt'),
  })
  .meta({ id: 'WebhookDelivery' })

const idInput = z.strictObject({ webhookId: id.describe('Webhook ID') })
const example = { url: 'https://crm.acme.example/overture', eventTypes: ['prospect.*', 'email.received'] }

export const listWebhooks = operation({
  method: 'GET',
  path: '/webhooks',
  summary: 'List webhooks',
  description: 'Lists webhooks with their event types and delivery problems, without secrets.',
  tag,
  extension: true,
  permission,
  input: z.strictObject(pageInput),
  output: pageSchema(webhook, 'Webhook'),
})

export const createWebhook = operation({
  method: 'POST',
  path: '/webhooks',
  summary: 'Create a webhook',
  description:
    'Posts every event of these types to the URL, signed according to Standard Webhooks. An account has at most 20.',
  tag,
  extension: true,
  permission,
  input: z.strictObject({
    url,
    eventTypes: chosenTypes,
    description: optionalMultiline(200).describe('Note for your team'),
    isEnabled: z.boolean().default(true).describe('Whether the webhook receives events'),
  }),
  output: withSecret,
  example: { input: example },
})

export const getWebhook = operation({
  method: 'GET',
  path: '/webhooks/{webhookId}',
  summary: 'Get a webhook',
  description: 'Includes its failures and last error, without the secret.',
  tag,
  extension: true,
  permission,
  input: idInput,
  output: webhook,
})

export const updateWebhook = operation({
  method: 'PATCH',
  path: '/webhooks/{webhookId}',
  summary: 'Update a webhook',
  description:
    'While disabled, a webhook gets no events and none are stored for it; pending deliveries wait until it is enabled again.',
  tag,
  extension: true,
  permission,
  input: idInput.extend({
    url: url.optional(),
    eventTypes: chosenTypes.optional(),
    description: patchMultiline(200).describe('Note for your team'),
    isEnabled: z.boolean().optional().describe('Whether the webhook receives events'),
  }),
  output: webhook,
  example: { input: { isEnabled: false } },
})

export const deleteWebhook = operation({
  method: 'DELETE',
  path: '/webhooks/{webhookId}',
  summary: 'Delete a webhook',
  description: 'Cancels pending deliveries.',
  tag,
  extension: true,
  permission,
  input: idInput,
  output: done,
})

export const rotateWebhookSecret = operation({
  method: 'POST',
  path: '/webhooks/{webhookId}/rotate-secret',
  summary: 'Rotate the secret of a webhook',
  description: 'Both secrets sign for 24 hours, each with its own signature, so no event is rejected.',
  tag,
  extension: true,
  permission,
  input: idInput,
  output: withSecret,
})

export const testWebhook = operation({
  method: 'POST',
  path: '/webhooks/{webhookId}/test',
  summary: 'Send a test event',
  description: 'Posts an event of type `webhook.test` whose data is the webhook itself.',
  tag,
  extension: true,
  permission,
  input: idInput,
  output: webhookDelivery,
})

export const listWebhookDeliveries = operation({
  method: 'GET',
  path: '/webhooks/{webhookId}/deliveries',
  summary: 'List webhook deliveries',
  description: 'Deliveries are kept for 30 days, pending ones of an enabled webhook longer.',
  tag,
  extension: true,
  permission,
  input: idInput.extend({
    ...pageInput,
    status: z.enum(webhookDeliveryStatuses).optional().describe('Only deliveries with this status'),
  }),
  output: pageSchema(webhookDelivery, 'WebhookDelivery'),
})

const event = z
  .object({
    id: id.describe('Event ID, sent as `webhook-id` by webhooks'),
    objectType: z.literal('event'),
    type: z.string().describe('Event type, such as `prospect.replied`'),
    timestamp: time.describe('Time of the event'),
    data: z
      .record(z.string(), z.unknown())
      .describe(
        'The object as the API returns it now; only its `id`, `objectType` and `url` if it exceeds 20 kB or no longer exists',
      ),
  })
  .meta({ id: 'Event' })

export const listEvents = operation({
  method: 'GET',
  path: '/events',
  summary: 'List events',
  description:
    'Lists the events that webhooks receive, oldest first, each exactly once: pass `next` of the last response as `after` and repeat, for example every minute. Without `after`, the list starts 30 days ago, which is how long events are kept. An event appears once all older transactions have ended, usually within a second.',
  tag: 'Events',
  extension: true,
  permission,
  input: z.strictObject({
    after: text(500)
      .optional()
      .describe('`next` of an earlier response, or `latest` to start with the events from now on'),
    types: chosenTypes.optional(),
    limit: z.int().min(1).max(100).optional().meta({ default: 10, description: 'Maximum number of events' }),
  }),
  output: z
    .object({
      data: z.array(event).describe('Events, oldest first'),
      hasMore: z.boolean().describe('Whether to continue with `next` immediately'),
      next: z.string().describe('Position to pass as `after`; always present'),
    })
    .meta({ id: 'EventPage' }),
})

export const replayWebhook = operation({
  method: 'POST',
  path: '/webhooks/{webhookId}/replay',
  summary: 'Replay webhook events',
  description:
    'Resends one delivery, all failed deliveries, or all deliveries created since a time: at most 100,000, oldest first. Resent deliveries keep their event IDs and get all attempts again.',
  tag,
  extension: true,
  permission,
  input: idInput
    .extend({
      deliveryId: id.optional().describe('The delivery to send again'),
      failed: flag.describe('Resends all failed deliveries'),
      since: timeInput.optional().describe('Resends all deliveries created at or after this time'),
    })
    .refine(
      ({ deliveryId, failed, since }) =>
        [deliveryId, failed, since].filter(each => each !== undefined).length === 1,
      { error: 'Provide exactly one of `deliveryId`, `failed` and `since`.' },
    ),
  output: z.object({ replayed: z.int() }),
  example: { input: { failed: true } },
})
