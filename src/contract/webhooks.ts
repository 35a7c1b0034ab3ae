import { z } from 'zod'
import { operation } from './operation.ts'
import {
  base,
  changedLines,
  done,
  flag,
  id,
  optionalLines,
  pageInput,
  pageOf,
  text,
  time,
  timeInput,
} from './page.ts'

const tag = 'Webhooks'
const permission = 'Account.ManageWebhooks'

/** What can happen, by the object it happens to. */
export const eventFamilies = {
  prospect: [
    'created',
    'replied',
    'out_of_office',
    'paused',
    'resumed',
    'completed',
    'bounced',
    'opted_out',
    'failed',
  ],
  email: ['sent', 'received', 'bounced', 'failed', 'unconfirmed'],
  linkedin: ['sent', 'received'],
  call: ['queued', 'started', 'ended'],
  opt_out: ['added', 'removed'],
  campaign: ['created', 'launched', 'paused', 'resumed', 'completed'],
} as const
export type EventFamily = keyof typeof eventFamilies

export const eventTypes = Object.entries(eventFamilies).flatMap(([family, events]) =>
  events.map(event => `${family}.${event}`),
)
const wildcards = Object.keys(eventFamilies).map(family => `${family}.*`)

export const disabledReasons = ['gone', 'failing'] as const
export const webhookDeliveryStatuses = ['pending', 'delivered', 'failed'] as const

const url = text(2000).describe('Where events are posted to, with https')
const chosenTypes = z
  .array(z.enum([...wildcards, ...eventTypes]))
  .min(1)
  .max(100)
  .describe('Which events; `prospect.*` stands for all of a family')

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
        'Why it was switched off by itself: it answered 410 (`gone`), or failed for five days (`failing`)',
      ),
    failures: z.int().describe('Attempts in a row that failed; 0 when it works'),
    failingSince: time.optional(),
    lastError: z.string().optional().describe('Of the last attempt that failed, while it is failing'),
    lastDeliveredAt: time.optional().describe('To the minute'),
    previousSecretEndsAt: time.optional().describe('Until then the former secret signs, too'),
  })
  .meta({ id: 'Webhook' })

const withSecret = webhook
  .extend({ secret: z.string().describe('It signs what is posted, and is shown in this answer alone') })
  .meta({ id: 'NewWebhook' })

export const webhookDelivery = z
  .object({
    ...base('webhook_delivery'),
    webhookId: id,
    eventId: id.describe('The `webhook-id` of each attempt: the same event never has another'),
    eventType: z.string(),
    status: z.enum(webhookDeliveryStatuses),
    attempts: z.int(),
    attemptedAt: time.optional(),
    nextAttemptAt: time.optional().describe('Absent before the first attempt, which is made at once'),
    data: z.string().optional().describe('The first 1,000 characters of the data that was posted, as JSON'),
    responseStatus: z.int().optional(),
    response: z.string().optional().describe('The first 1,000 characters of the answer'),
    error: z.string().optional().describe('Why the last attempt failed'),
  })
  .meta({ id: 'WebhookDelivery' })

const one = z.strictObject({ webhookId: id.describe('The webhook') })
const example = { url: 'https://crm.acme.example/overture', eventTypes: ['prospect.*', 'email.received'] }

export const listWebhooks = operation({
  method: 'GET',
  path: '/webhooks',
  summary: 'List the webhooks',
  tag,
  extension: true,
  permission,
  input: z.strictObject(pageInput),
  output: pageOf(webhook, 'Webhook'),
})

export const createWebhook = operation({
  method: 'POST',
  path: '/webhooks',
  summary: 'Add a webhook',
  description:
    'From now on each event of these types is posted to the address, signed as Standard Webhooks has it. An account has up to 20.',
  tag,
  extension: true,
  permission,
  input: z.strictObject({
    url,
    eventTypes: chosenTypes,
    description: optionalLines(200),
    isEnabled: z.boolean().default(true),
  }),
  output: withSecret,
  example: { input: example },
})

export const getWebhook = operation({
  method: 'GET',
  path: '/webhooks/{webhookId}',
  summary: 'Get a webhook',
  tag,
  extension: true,
  permission,
  input: one,
  output: webhook,
})

export const updateWebhook = operation({
  method: 'PATCH',
  path: '/webhooks/{webhookId}',
  summary: 'Change a webhook',
  description:
    'Switched off, it gets nothing and no event is kept for it; what was on its way waits until it is switched on again.',
  tag,
  extension: true,
  permission,
  input: one.extend({
    url: url.optional(),
    eventTypes: chosenTypes.optional(),
    description: changedLines(200),
    isEnabled: z.boolean().optional(),
  }),
  output: webhook,
  example: { input: { isEnabled: false } },
})

export const deleteWebhook = operation({
  method: 'DELETE',
  path: '/webhooks/{webhookId}',
  summary: 'Remove a webhook',
  description: 'What is still on its way to it is given up.',
  tag,
  extension: true,
  permission,
  input: one,
  output: done,
})

export const rotateWebhookSecret = operation({
  method: 'POST',
  path: '/webhooks/{webhookId}/rotate-secret',
  summary: 'Give a webhook a new secret',
  description:
    'For 24 hours both secrets sign, each with a signature of its own, so that no event is refused.',
  tag,
  extension: true,
  permission,
  input: one,
  output: withSecret,
})

export const testWebhook = operation({
  method: 'POST',
  path: '/webhooks/{webhookId}/test',
  summary: 'Send a webhook a test event',
  description: 'Posts an event of the type `webhook.test` with the webhook itself as its data.',
  tag,
  extension: true,
  permission,
  input: one,
  output: webhookDelivery,
})

export const listWebhookDeliveries = operation({
  method: 'GET',
  path: '/webhooks/{webhookId}/deliveries',
  summary: 'List what was posted to a webhook',
  description: 'What was delivered or given up is kept for 30 days.',
  tag,
  extension: true,
  permission,
  input: one.extend({ ...pageInput, status: z.enum(webhookDeliveryStatuses).optional() }),
  output: pageOf(webhookDelivery, 'WebhookDelivery'),
})

export const replayWebhook = operation({
  method: 'POST',
  path: '/webhooks/{webhookId}/replay',
  summary: 'Post events to a webhook again',
  description:
    'One delivery, all that failed, or all that were made since a time: up to 100,000 at once, the oldest first. They go out under their own ids, with all their attempts ahead.',
  tag,
  extension: true,
  permission,
  input: one
    .extend({
      deliveryId: id.optional(),
      failed: flag,
      since: timeInput.optional(),
    })
    .refine(
      ({ deliveryId, failed, since }) =>
        [deliveryId, failed, since].filter(each => each !== undefined).length === 1,
      { error: 'give one of deliveryId, failed and since' },
    ),
  output: z.object({ replayed: z.int() }),
  example: { input: { failed: true } },
})
