import type { EventFamily } from '../../../contract/webhooks.ts'
import { type Config, getPublicUrl } from '../../kernel/config.ts'
import { type App, withAccount } from '../../kernel/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { callJson } from '../calls/calls.ts'
import { campaignJson } from '../campaigns/campaigns.ts'
import { optOutJson } from '../dnc/opt-outs.ts'
import { emailMessageJson } from '../inbox/email-messages.ts'
import { linkedinMessageJson } from '../inbox/linkedin-messages.ts'
import { prospectJson } from '../prospects/prospect-json.ts'

const MAX_BYTES = 20_000

/** How each kind of object is read, and where it is found when it is too large to be posted. */
const objects: Record<
  EventFamily,
  { type: string; path?: string; select: (sql: Sql, config: Config) => Fragment }
> = {
  prospect: {
    type: 'prospect',
    path: '/prospects/',
    select: sql => sql`select r.account_id, r.id, ${prospectJson(sql)} from prospects r`,
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
  call: {
    type: 'call',
    path: '/calls/',
    select: (sql, config) => sql`select c.account_id, c.id, ${callJson(sql, config)} from calls c`,
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
}

type About = { eventType: string; objectId: string; data: string | null }

/** The data of each event as JSON: what was kept, else its object as the API shows it, whole or as a link. */
export async function eventData(app: App, accountId: string, events: readonly About[]): Promise<string[]> {
  const sql = app.db.work
  const families = Map.groupBy(
    events.filter(({ data }) => data === null),
    ({ eventType }) => familyOf(eventType),
  )
  const found = new Map<string, string>()
  for (const [family, about] of families) {
    const ids = about.map(({ objectId }) => objectId)
    const rows = await sql<{ id: string; json: string }[]>`
      select o.id, o.json
        from ${withAccount({ sql, accountId })}
       cross join lateral (select * from (${objects[family].select(sql, app.config)}) all_of_them
                            where account_id = s.account_id and id = any(${ids}::uuid[])) o`
    for (const { id, json } of rows) found.set(id, json)
  }
  return events.map(event => event.data ?? wholeOrLink(app, event, found.get(event.objectId)))
}

const familyOf = (eventType: string) => eventType.split('.')[0] as EventFamily

/** An object that is too large, or gone, is named alone. */
function wholeOrLink(app: App, { eventType, objectId }: About, json: string | undefined): string {
  if (json !== undefined && Buffer.byteLength(json) <= MAX_BYTES) return json
  const { type, path } = objects[familyOf(eventType)]
  const url = json !== undefined && path && `${getPublicUrl(app.config)}/v1${path}${objectId}`
  return JSON.stringify({ id: objectId, objectType: type, ...(url && { url }) })
}
