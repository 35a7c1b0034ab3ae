import type { z } from 'zod'
import { eventBody } from '../../../contract/webhook-events.ts'
import { eventTypes } from '../../../contract/webhooks.ts'
import { type Schema, toExample } from './openapi-example.ts'

type ToSchema = (part: z.ZodType, io: 'output') => Schema

/** Describes the webhook requests by event type. */
export const describeEvents = (
  toSchema: ToSchema,
  schemas: Record<string, Schema>,
): Record<string, unknown> =>
  Object.fromEntries(
    [...eventTypes, 'webhook.test'].map(type => {
      const schema = toSchema(eventBody(type), 'output')
      return [
        type,
        {
          post: {
            summary: type,
            description:
              'Signed according to Standard Webhooks. Delivered at least once; order is not guaranteed.',
            tags: ['Webhooks', 'extension'],
            security: [],
            parameters,
            requestBody: {
              required: true,
              content: { 'application/json': { schema, example: toExample(schema, schemas) } },
            },
            responses: {
              '2XX': { description: 'Accepted; the response body is ignored' },
              410: { description: 'Disables the webhook' },
              default: { description: 'The event is retried: up to ten attempts in about 76 hours' },
            },
          },
        },
      ]
    }),
  )

const header = (name: string, description: string, example: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
  example,
})

const parameters = [
  header('webhook-id', 'ID of the event; the same in every attempt', '01a20077-15e7-7fb3-a1a0-e961b25c6222'),
  header('webhook-timestamp', 'Unix time of the attempt in seconds', '1795304134'),
  header(
    'webhook-signature',
    'One or two signatures separated by a space; one must match',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
]
