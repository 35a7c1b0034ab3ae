import { z } from 'zod'
import { call } from './calls.ts'
import { campaign } from './campaigns.ts'
import { conversation } from './conversations.ts'
import { optOut } from './dnc.ts'
import { emailMessage, linkedinMessage } from './inbox.ts'
import { mailbox } from './mailboxes.ts'
import { meeting } from './meetings.ts'
import { time } from './page.ts'
import { person } from './persons.ts'
import { problemEventData } from './problems.ts'
import { prospect } from './prospects.ts'
import { task } from './tasks.ts'
import { type EventFamily, webhook } from './webhooks.ts'

/** Replaces an object that exceeds 20 kB or no longer exists. */
const link = z
  .object({
    id: z.guid(),
    objectType: z.string(),
    url: z.string().optional().describe('API URL of the object, while it exists'),
  })
  .meta({ id: 'ObjectLink' })

/** The object of each event family. */
const objects: Record<EventFamily | 'webhook', z.ZodType> = {
  prospect,
  person,
  email: emailMessage,
  linkedin: linkedinMessage,
  conversation,
  call,
  task,
  meeting,
  opt_out: optOut,
  campaign,
  mailbox,
  problem: problemEventData,
  webhook,
}

/** Returns the schema of the request body for an event type. */
export const eventBody = (type: string): z.ZodType => {
  const object = objects[type.split('.')[0] as EventFamily | 'webhook']
  return z.object({
    type: z.literal(type),
    timestamp: time.describe('Time of the event'),
    data: z.union([object, link]).describe('The object as returned by the API, or a link to it'),
  })
}
