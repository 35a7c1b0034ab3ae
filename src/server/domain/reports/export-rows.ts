import type { exportKinds } from '../../../contract/exports.ts'
import type { Permission } from '../../../contract/permissions.ts'
import {
  getInputName,
  type PersonField,
  personFieldNames,
  personFields,
} from '../../../contract/person-fields.ts'
import { authorize, ownRepsOnly, type Reader, withAccount } from '../../kernel/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { selectNextStepAt } from '../prospects/prospect-json.ts'

export type ExportKind = (typeof exportKinds)[number]

export type ExportCell = string | number | null
/** Cells by column name. */
type ExportRow = Record<string, ExportCell>

type Options = {
  /** Only prospects or messages of this campaign. */
  campaignId?: string | undefined
}
/** The SQL condition, order and limit of a page: rows that existed at the start, after the last row read. */
type PageClause = (alias: string, time: 'created_at' | 'sent_at') => Fragment
export type RowPosition = { at: string; id: string }
type Query = (ctx: Reader, pageClause: PageClause, options: Options) => Fragment

const queries: Record<ExportKind, { permission: Permission; pageSize: number; query: Query }> = {
  prospects: { permission: 'Prospect.ReadProspect', pageSize: 1000, query: selectProspects },
  persons: { permission: 'Prospect.ReadProspect', pageSize: 1000, query: selectPersons },
  opt_outs: { permission: 'DoNotContact.ReadDoNotContact', pageSize: 1000, query: selectOptOuts },
  // Messages can be large.
  messages: { permission: 'Inbox.ReadInbox', pageSize: 100, query: selectMessages },
}

/** Returns the permission to read the rows of an export. */
export const getExportPermission = (kind: ExportKind): Permission => queries[kind].permission

/** A page of an export. `last` is the position of its last row; undefined on the last page. */
type ExportPage = { columns: string[]; rows: ExportRow[]; last: RowPosition | undefined }

/**
 * Opens an export of all rows of a kind that exist at this moment, oldest first. Each page is one short statement, so
 * an export that runs for hours holds no transaction or lock.
 */
export async function openExport(
  ctx: Reader,
  kind: ExportKind,
  options: Options = {},
): Promise<{ columns: string[]; pages: AsyncGenerator<ExportRow[]> }> {
  // Stored times are rounded to the millisecond, so the time of a row inserted now may be rounded up.
  const [start] = await ctx.sql<{ at: Date }[]>`select now() + interval '1 ms' as at`
  const read = (after?: RowPosition) => readExportPage(ctx, kind, options, { until: start!.at, after })
  const first = await read()
  return {
    columns: first.columns,
    pages: (async function* () {
      for (let page = first; ; page = await read(page.last)) {
        yield page.rows
        if (!page.last) return
      }
    })(),
  }
}

/** Reads a page of the rows that were created up to a time, after a position. */
export async function readExportPage(
  ctx: Reader,
  kind: ExportKind,
  options: Options,
  { until, after }: { until: Date; after: RowPosition | undefined },
): Promise<ExportPage> {
  authorize(ctx, getExportPermission(kind))
  const { sql } = ctx
  const { pageSize, query } = queries[kind]
  const pageClause: PageClause = (alias, column) => {
    const [created, time, id] = [
      sql.identifier(`${alias}.created_at`),
      sql.identifier(`${alias}.${column}`),
      sql.identifier(`${alias}.id`),
    ]
    return sql`
      and ${created} <= ${until}
      ${after ? sql`and (${time}, ${id}) > (${after.at}::timestamptz, ${after.id}::uuid)` : sql``}
      order by ${time}, ${id} limit ${pageSize}`
  }
  const rows = await sql<(ExportRow & RowPosition)[]>`
    select found.* from ${withAccount(ctx)} cross join lateral (${query(ctx, pageClause, options)}) found
     order by found.at, found.id`
  return {
    columns: rows.columns.map(column => column.name).filter(name => name !== 'at'),
    rows,
    last: rows.length === pageSize ? rows.at(-1) : undefined,
  }
}

// Looks up names by key, because a join may read the whole table for each page if its statistics are outdated.
const selectName = (
  sql: Sql,
  table: 'campaigns' | 'companies' | 'reps',
  owner: string,
  key: string,
): Fragment =>
  sql`(select name from ${sql.identifier(table)} x where x.account_id = ${sql.identifier(`${owner}.account_id`)} and x.id = ${sql.identifier(`${owner}.${key}`)})`

function selectProspects(ctx: Reader, pageClause: PageClause, { campaignId }: Options): Fragment {
  const { sql } = ctx
  return sql`
    select api_time(p.created_at) as at, p.id, ${selectName(sql, 'campaigns', 'p', 'campaign_id')} as campaign, p.status,
           p.status_reason as "statusReason", p.steps_done as step, ${selectNextStepAt(sql, 'p')} as "nextStepAt",
           n.first_name as "firstName", n.last_name as "lastName", n.email, n.title as "jobTitle", n.company,
           n.phone, n.linkedin_url as "linkedinUrl", ${selectName(sql, 'reps', 'p', 'rep_id')} as rep,
           api_time(p.created_at) as "createdAt", p.campaign_id as "campaignId", p.person_id as "personId"
      from prospects p
     cross join lateral (select n.*, ${selectName(sql, 'companies', 'n', 'company_id')} as company
                           from persons n
                          where n.account_id = p.account_id and n.id = p.person_id
                          limit 1) n
     where p.account_id = s.account_id
       ${campaignId ? sql`and p.campaign_id = ${campaignId}` : sql``}
       ${pageClause('p', 'created_at')}`
}

/** The company's column follows the job title. */
const companyIndex = personFieldNames.indexOf('title') + 1

function selectPersons(ctx: Reader, pageClause: PageClause): Fragment {
  const { sql } = ctx
  const columns = (fields: PersonField[]) =>
    sql.unsafe(fields.map(name => `n.${personFields[name].column} as "${getInputName(name)}"`).join(', '))
  return sql`
    select api_time(n.created_at) as at, n.id, ${columns(personFieldNames.slice(0, companyIndex))},
           ${selectName(sql, 'companies', 'n', 'company_id')} as company, ${columns(personFieldNames.slice(companyIndex))},
           api_time(n.created_at) as "createdAt", api_time(n.updated_at) as "updatedAt"
      from persons n
     where n.account_id = s.account_id and n.erased_at is null ${pageClause('n', 'created_at')}`
}

function selectOptOuts(ctx: Reader, pageClause: PageClause): Fragment {
  const { sql } = ctx
  return sql`
    select api_time(o.created_at) as at, o.id, o.value as identifier, o.kind as "identifierType", o.name,
           o.source, api_time(o.created_at) as "createdAt"
      from opt_outs o
     where o.account_id = s.account_id ${pageClause('o', 'created_at')}`
}

function selectMessages(ctx: Reader, pageClause: PageClause, { campaignId }: Options): Fragment {
  const { sql } = ctx
  const emails = (field: string) => sql`
    (select string_agg(contact ->> 'email', ', ') from jsonb_array_elements(m.recipients -> ${field}::text) contact)`
  return sql`
    select api_time(m.sent_at) as at, m.id, api_time(m.sent_at) as "sentAt", m.type, m.status,
           m.delivery_status as "deliveryStatus", m.sender ->> 'name' as "fromName",
           m.sender ->> 'email' as "from", ${emails('to')} as "to", ${emails('cc')} as cc, ${emails('bcc')} as bcc,
           m.subject, m.body, ${selectName(sql, 'campaigns', 'm', 'campaign_id')} as campaign,
           ${selectName(sql, 'reps', 'm', 'rep_id')} as rep, array_to_string(m.tags, ', ') as tags,
           m.thread_id as "emailThreadId", m.prospect_id as "prospectId"
      from email_messages m
     where m.account_id = s.account_id
       ${campaignId ? sql`and m.campaign_id = ${campaignId}` : sql``}
       ${ownRepsOnly(ctx, 'Inbox.ReadInbox', sql`m.rep_id`)}
       ${pageClause('m', 'sent_at')}`
}
