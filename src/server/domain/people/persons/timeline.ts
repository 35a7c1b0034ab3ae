import type { Input, Output } from '../../../../contract/index.ts'
import { getPermissionScope, type Permission } from '../../../../contract/permissions.ts'
import { getPublicUrl } from '../../../kernel/config.ts'
import { type Context, ownRepsOnly } from '../../../kernel/context.ts'
import type { Fragment } from '../../../kernel/db/database.ts'
import { jsonObject, timestamp, uuid } from '../../../kernel/db/json-object.ts'
import type { Json } from '../../../kernel/json.ts'
import { afterCursor, listPage, orderAndLimit, type Page } from '../../../kernel/page.ts'
import { inOneLine, readBeginning, readEmailBeginning } from '../../../kernel/text/first-words.ts'
import { selectMember } from '../../accounts/select-member.ts'
import { unnestBlockingKinds } from '../opt-outs/find-opt-outs.ts'
import { personEmails } from './person-emails.ts'
import { getPerson } from './persons.ts'

type Entry = Output<'getPersonTimeline'>['data'][number]

const MAX_TEXT_LENGTH = 300

/** Columns of an entry, and their types. `path` is the page in the web app. */
const columns = {
  direction: 'text',
  status: 'text',
  title: 'text',
  text: 'text',
  campaign_id: 'uuid',
  prospect_id: 'uuid',
  rep_id: 'uuid',
  email_thread_id: 'uuid',
  linkedin_conversation_id: 'uuid',
  path: 'text',
} as const
type Column = keyof typeof columns

/** Rows `t` of one kind that belong to person `p`. All strings are SQL. */
type Source = {
  /** Joins `t` to `p`. */
  join: string
  at: string
  fields: Partial<Record<Column, string>>
  /**
   * Defaults to the permission of the operation. Users who have it only for their own reps see only the rows of these
   * reps.
   */
  permission?: Permission
}

/** Identifiers `i` of person `p`: the current ones and aliases. */
const identifiers = `
  cross join lateral (
    select 'email' as kind, p.email as value union select 'phone', p.phone union select 'linkedin', p.linkedin_url
     union
    select kind, value from person_aliases where account_id = p.account_id and person_id = p.id) i`

const sources: Record<Entry['type'], Source> = {
  email: {
    permission: 'Inbox.ReadInbox',
    join: `cross join lateral (${personEmails}) t`,
    at: 'sent_at',
    fields: {
      direction: `case t.type when 'received' then 'in' else 'out' end`,
      status: `coalesce(t.delivery_status, t.received_kind, t.status)`,
      title: 't.subject',
      text: readEmailBeginning('t'),
      campaign_id: 't.campaign_id',
      prospect_id: 't.prospect_id',
      rep_id: 't.rep_id',
      email_thread_id: 't.thread_id',
      path: `'/inbox/' || t.thread_id`,
    },
  },
  linkedin_message: {
    permission: 'Inbox.ReadInbox',
    join: `join linkedin_conversations v on v.account_id = p.account_id and v.person_id = p.id
           join linkedin_messages t on t.account_id = v.account_id and t.conversation_record_id = v.id`,
    at: 'happened_at',
    fields: {
      direction: `case t.type when 'received' then 'in' else 'out' end`,
      status: 't.status',
      text: readBeginning('t.text'),
      campaign_id: 't.campaign_id',
      prospect_id: 't.prospect_id',
      rep_id: 't.rep_id',
      linkedin_conversation_id: 't.conversation_record_id',
      path: `'/inbox/linkedin/' || t.conversation_record_id`,
    },
  },
  call: {
    permission: 'Call.ReadCall',
    join: 'join calls t on t.account_id = p.account_id and t.person_id = p.id',
    at: 'created_at',
    fields: {
      direction: `case t.call_type when 'outbound' then 'out' else 'in' end`,
      status: 'coalesce(t.outcome, t.status)',
      text: readBeginning('t.summary'),
      campaign_id: 't.campaign_id',
      prospect_id: 't.prospect_id',
      rep_id: 't.rep_id',
      path: `'/calls/' || t.id`,
    },
  },
  task: {
    permission: 'Task.ReadTask',
    join: 'join tasks t on t.account_id = p.account_id and t.person_id = p.id',
    at: 'due_at',
    fields: {
      status: 't.status',
      title: 'coalesce(t.title, t.channel)',
      text: readBeginning('t.text'),
      campaign_id: 't.campaign_id',
      prospect_id: 't.prospect_id',
      rep_id: 't.rep_id',
    },
  },
  meeting: {
    join: 'join meetings t on t.account_id = p.account_id and t.person_id = p.id',
    at: 'booked_at',
    fields: {
      status: 't.status',
      title: 'api_time(t.starts_at)',
      text: readBeginning('t.notes'),
      campaign_id: 't.campaign_id',
      prospect_id: 't.prospect_id',
      rep_id: 't.rep_id',
    },
  },
  note: {
    join: 'join notes t on t.account_id = p.account_id and t.person_id = p.id',
    at: 'created_at',
    fields: {
      title: selectMember('name', 't.account_id', 't.author_id'),
      text: readBeginning('t.text'),
    },
  },
  prospect: {
    join: `join prospects t on t.account_id = p.account_id and t.person_id = p.id
           join campaigns c on c.account_id = t.account_id and c.id = t.campaign_id`,
    at: 'created_at',
    fields: {
      status: 't.status',
      title: 'c.name',
      text: 't.status_reason',
      campaign_id: 't.campaign_id',
      prospect_id: 't.id',
      path: `'/campaigns/' || t.campaign_id || '/prospects'`,
    },
  },
  consent: {
    permission: 'DoNotContact.ReadDoNotContact',
    // `offset 0` keeps the planner from reading all consents by time.
    join: `${identifiers} join lateral (
             select * from consents where account_id = p.account_id and phone = i.value offset 0) t on i.kind = 'phone'`,
    at: 'given_at',
    fields: {
      status: `case when t.withdrawn_at is null then 'given' else 'withdrawn' end`,
      title: 't.kind',
      text: readBeginning('t.proof'),
    },
  },
  opt_out: {
    permission: 'DoNotContact.ReadDoNotContact',
    // The same rules as in find-opt-outs.ts, except that bounced aliases are part of the history. `distinct`, because
    // several email addresses can be at the same domain.
    join: `cross join lateral (
             select distinct covered.*
               from (select) person ${identifiers}
              cross join lateral (
                      select ${unnestBlockingKinds('i.kind')} as kind, i.value
                       union all
                      select 'domain', unnest(domain_and_parents(split_part(i.value, '@', 2))) where i.kind = 'email') covered) e
           cross join lateral (
             select * from opt_outs where account_id = p.account_id and kind = e.kind and value = e.value offset 0) t`,
    at: 'created_at',
    fields: { title: 't.value', status: 't.source', path: `'/people/do-not-contact'` },
  },
  merge: {
    join: 'join persons t on t.account_id = p.account_id and t.merged_into_id = p.id',
    at: 'erased_at',
    fields: {
      text: `(select string_agg(value, ', ' order by value) from person_aliases
               where account_id = t.account_id and duplicate_id = t.id)`,
    },
  },
}

/** Lists the history of a person, newest first. Throws NotFound. */
export async function getPersonTimeline(
  ctx: Context,
  input: Input<'getPersonTimeline'>,
): Promise<Json<Output<'getPersonTimeline'>>> {
  await getPerson(ctx, input)
  return listPage(ctx, 'getPersonTimeline', input, page => {
    const { sql } = ctx
    const { type: types } = page.filters
    const noEntries = sql`(select null::uuid as id, null::text as type, null::timestamptz as at, ${sql.unsafe(
      Object.entries(columns)
        .map(([column, columnType]) => `null::${columnType} as ${column}`)
        .join(', '),
    )} where false)`
    const merged = (Object.entries(sources) as [Entry['type'], Source][])
      .filter(([type]) => !types || types.includes(type))
      .filter(([, { permission }]) => !permission || getPermissionScope(ctx.role, permission))
      .map(([type, source]) => sql`(${selectEntries(ctx, page, type, source)})`)
      .reduce((all, source) => sql`${all} union all ${source}`, noEntries)
    const text = sql`nullif(${sql.unsafe(inOneLine('e.text', MAX_TEXT_LENGTH))}, '')`
    return sql`
      select e.id, api_time(e.at) as at,
             ${jsonObject({
               id: uuid('e.id'),
               type: sql`e.type`,
               at: timestamp('e.at'),
               direction: sql`e.direction`,
               status: sql`e.status`,
               title: sql`e.title`,
               text,
               campaignId: uuid('e.campaign_id'),
               prospectId: uuid('e.prospect_id'),
               repId: uuid('e.rep_id'),
               emailThreadId: uuid('e.email_thread_id'),
               linkedinConversationId: uuid('e.linkedin_conversation_id'),
               url: sql`${getPublicUrl(ctx.app.config)}::text || e.path`,
             })} as json
        from (${merged}) e
       ${orderAndLimit(sql, page, 'e.at', 'e.id')}`
  })
}

function selectEntries(
  ctx: Context,
  page: Page<{ personId: string }>,
  type: string,
  { join, at, fields, permission }: Source,
): Fragment {
  const { sql } = ctx
  const selected = Object.entries(columns).map(
    ([column, columnType]) => `(${fields[column as Column] ?? 'null'})::${columnType} as ${column}`,
  )
  return sql`
    select t.id, ${type}::text as type, ${sql.identifier(`t.${at}`)} as at, ${sql.unsafe(selected.join(', '))}
      from persons p ${sql.unsafe(join)}
     where p.account_id = s.account_id and p.id = ${page.filters.personId}
       ${permission && fields.rep_id ? ownRepsOnly(ctx, permission, sql`t.rep_id`) : sql``}
       ${afterCursor(sql, page, `t.${at}`, 't.id')}
     ${orderAndLimit(sql, page, `t.${at}`, 't.id')}`
}
