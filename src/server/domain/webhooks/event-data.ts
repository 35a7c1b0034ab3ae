import type { EventFamily } from '../../../contract/webhooks.ts'
import { type Config, getPublicUrl } from '../../kernel/config.ts'
import { type App, type Context, withAccount } from '../../kernel/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { callJson } from '../calls/calls.ts'
import { campaignJson } from '../campaigns/campaigns.ts'
import { optOutJson } from '../dnc/opt-outs.ts'
import { conversationJson } from '../inbox/conversation-json.ts'
import { emailMessageJson } from '../inbox/email-messages.ts'
import { linkedinMessageJson } from '../inbox/linkedin-messages.ts'
import { mailboxesWithImap, mailboxJson } from '../mailboxes/mailboxes.ts'
import { meetingJson } from '../meetings/meetings.ts'
import { personJson } from '../people/persons/person-json.ts'
import { prospectJson } from '../prospects/prospect-json.ts'
import { taskJoins, taskJson } from '../tasks/tasks.ts'

const MAX_BYTES = 20_000

/** The query for each kind of object, and its API path, which is sent instead of an object that is too large. */
const objects: Record<
  EventFamily,
  { type: string; path?: string; select: (sql: Sql, app: App) => Fragment }
> = {
  prospect: {
    type: 'prospect',
    path: '/prospects/',
    select: sql => sql`select r.account_id, r.id, ${prospectJson(sql)} from prospects r`,
  },
  person: {
    type: 'person',
    path: '/persons/',
    select: (sql, app) => sql`select p.account_id, p.id, ${personJson({ sql, app })} from persons p`,
  },
  email: {
    type: 'email_message',
    path: '/inbox/email/messages/',
    select: sql => sql`select m.account_id, m.id, ${emailMessageJson(sql)} from email_messages m`,
  },
  linkedin: {
    type: 'linkedin_message',
    select: sql => sql`select m.account_id, m.id, ${linkedinMessageJson(sql)} from linkedin_messages m`,
  },
  conversation: {
    type: 'conversation',
    path: '/inbox/conversations/',
    select: (sql, { config, now }) =>
      sql`select c.account_id, c.id, ${conversationJson(sql, config, now())} from conversations c`,
  },
  call: {
    type: 'call',
    path: '/calls/',
    select: (sql, { config }) => sql`select c.account_id, c.id, ${callJson(sql, config)} from calls c`,
  },
  task: {
    type: 'task',
    path: '/tasks/',
    select: sql => sql`select t.account_id, t.id, ${taskJson(sql)} from tasks t ${taskJoins(sql)}`,
  },
  meeting: {
    type: 'meeting',
    select: sql => sql`select g.account_id, g.id, ${meetingJson(sql)} from meetings g`,
  },
  opt_out: {
    type: 'communication_opt_out',
    select: sql => sql`select o.account_id, o.id, ${optOutJson(sql)} from opt_outs o`,
  },
  campaign: {
    type: 'campaign',
    path: '/campaigns/',
    select: sql => sql`select c.account_id, c.id, ${campaignJson(sql)} from campaigns c`,
  },
  mailbox: {
    type: 'mailbox',
    path: '/mailboxes/',
    select: sql => sql`
      select b.account_id, b.id, ${mailboxJson(sql)} from ${mailboxesWithImap(sql)} where b.removed_at is null`,
  },
  problem: {
    type: 'problem',
    select: sql => sql`select p.account_id, p.id, problem_json(p) as json from problems p`,
  },
}

type PendingEvent = { eventType: string; objectId: string; data: string | null }

/**
 * Returns each event's data as JSON: the stored data, or else the object as the API returns it, or a link to an object
 * that is too large.
 */
export async function readEventData(
  { app, sql, accountId }: Pick<Context, 'app' | 'sql' | 'accountId'>,
  events: readonly PendingEvent[],
): Promise<string[]> {
  const families = Map.groupBy(
    events.filter(({ data }) => data === null),
    ({ eventType }) => getEventFamily(eventType),
  )
  const found = new Map<string, string>()
  for (const [family, pending] of families) {
    const ids = pending.map(({ objectId }) => objectId)
    const rows = await sql<{ id: string; json: string }[]>`
      select o.id, o.json
        from ${withAccount({ sql, accountId })}
       cross join lateral (select * from (${objects[family].select(sql, app)}) objects
                            where account_id = s.account_id and id = any(${ids}::uuid[])) o`
    for (const { id, json } of rows) found.set(id, json)
  }
  return events.map(event => event.data ?? toObjectOrLink(app.config, event, found.get(event.objectId)))
}

const getEventFamily = (eventType: string) => eventType.split('.')[0] as EventFamily

/** Returns the object; only its ID if it was deleted, or its ID and URL if it is too large. */
function toObjectOrLink(
  config: Config,
  { eventType, objectId }: PendingEvent,
  json: string | undefined,
): string {
  if (json !== undefined && Buffer.byteLength(json) <= MAX_BYTES) return json
  const { type, path } = objects[getEventFamily(eventType)]
  const url = json !== undefined && path && `${getPublicUrl(config)}/v1${path}${objectId}`
  return JSON.stringify({ id: objectId, objectType: type, ...(url && { url }) })
}
