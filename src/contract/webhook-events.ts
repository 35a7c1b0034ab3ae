import { z } from 'zod'
import { call } from './calls.ts'
import { campaign } from './campaigns.ts'
import { optOut } from './dnc.ts'
import { emailMessage, linkedinMessage } from './inbox.ts'
import { time } from './page.ts'
import { prospect } from './prospects.ts'
import { type EventFamily, webhook } from './webhooks.ts'

/** What stands in place of an object of over 20 kB, or of one that is gone. */
const link = z
  .object({
    id: z.guid(),
    objectType: z.string(),
    url: z.string().optional().describe('Where the API shows it, while it is there'),
  })
  .meta({ id: 'ObjectLink' })

/** The object that an event of each family is about. */
const objects: Record<EventFamily | 'webhook', z.ZodType> = {
  prospect,
  email: emailMessage,
  linkedin: linkedinMessage,
  call,
  opt_out: optOut,
  campaign,
  webhook,
}

/** The body that is posted for an event of this type. */
export const eventBody = (type: string): z.ZodType => {
  const object = objects[type.split('.')[0] as EventFamily | 'webhook']
  return z.object({
    type: z.literal(type),
    timestamp: time.describe('When it happened'),
    data: z.union([object, link]).describe('The object as the API shows it, or where to ask for it'),
  })
}
