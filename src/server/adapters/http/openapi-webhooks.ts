import type { z } from 'zod'
import { eventBody } from '../../../contract/webhook-events.ts'
import { eventTypes } from '../../../contract/webhooks.ts'
import { exampleOf, type Schema } from './openapi-example.ts'

type ToSchema = (part: z.ZodType, io: 'output') => Schema

/** What is posted to webhooks, by the type of the event. */
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
            description: 'Signed as Standard Webhooks has it; comes at least once, in no promised order.',
            tags: ['Webhooks', 'extension'],
            security: [],
            parameters,
            requestBody: {
              required: true,
              content: { 'application/json': { schema, example: exampleOf(schema, schemas) } },
            },
            responses: {
              '2XX': { description: 'It is taken; the status alone counts' },
              410: { description: 'Nothing is to be posted here any more: it switches the webhook off' },
              default: { description: 'It is posted again later, up to ten times in 75 hours' },
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
  header(
    'webhook-id',
    'Of the event: the same one never has another',
    '01a20077-15e7-7fb3-a1a0-e961b25c6222',
  ),
  header('webhook-timestamp', 'Seconds since 1970 at which it was posted', '1795304134'),
  header(
    'webhook-signature',
    'One or two signatures, parted by a space; one of them has to fit',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
]
