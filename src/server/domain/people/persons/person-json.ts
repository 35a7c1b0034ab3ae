import type { Context } from '../../../kernel/context.ts'
import type { Fragment, Sql } from '../../../kernel/db/database.ts'
import { selectOptOutSource } from '../opt-outs/find-opt-outs.ts'
import { personColumns } from './person-columns.ts'

const MAX_PROSPECTS = 10

/** Builds the API's JSON of person `p`. Specified fields are null when unknown; the others are absent. */
export const personJson = ({ sql, app }: Pick<Context, 'sql' | 'app'>): Fragment => sql`
  (jsonb_build_object(
    'id', p.id,
    'objectType', 'person',
    'createdAt', api_time(p.created_at),
    'updatedAt', api_time(p.updated_at),
    ${sql.unsafe(personColumns.specifiedPairs)},
    'photoUrl', p.photo_url)
   || jsonb_strip_nulls(jsonb_build_object(
     'companyId', p.company_id,
     'company', (select name from companies where account_id = p.account_id and id = p.company_id),
     'tags', to_jsonb(nullif(p.tags, '{}')),
     'ownerRepId', p.owner_rep_id,
     'custom', nullif(p.custom, '{}'), ${sql.unsafe(personColumns.otherPairs)},
     'otherEmails', ${aliases(sql, 'email')},
     'otherPhones', ${aliases(sql, 'phone')},
     'otherLinkedinUrls', ${aliases(sql, 'linkedin')},
     'mergedPersonIds', (select jsonb_agg(id order by id) from persons
                          where account_id = p.account_id and merged_into_id = p.id),
     'mergedIntoId', p.merged_into_id,
     'isErased', case when p.erased_at is not null and p.merged_into_id is null then true end,
     'lastContactedAt', ${lastTime(sql, 'last_contacted_at')},
     'lastRepliedAt', ${lastTime(sql, 'last_replied_at')},
     'prospects', ${prospects(sql)}))
   -- "offset 0" makes PostgreSQL evaluate the source only once.
   || (select case when list.source is null then '{}'
                   else jsonb_build_object('isOptedOut', true, 'optOutSource', list.source) end
         from (select ${selectOptOutSource(sql, app)} as source offset 0) list))::text
    as json`

const aliases = (sql: Sql, kind: 'email' | 'phone' | 'linkedin'): Fragment => sql`
  (select jsonb_agg(value order by value) from person_aliases
    where account_id = p.account_id and person_id = p.id and kind = ${kind})`

const lastTime = (sql: Sql, column: 'last_contacted_at' | 'last_replied_at'): Fragment => sql`
  (select api_time(nullif(${sql.identifier(column)}, '-infinity'))
     from person_activity where account_id = p.account_id and person_id = p.id)`

const prospects = (sql: Sql): Fragment => sql`
  (select jsonb_agg(jsonb_build_object('id', r.id, 'campaignId', c.id, 'campaign', c.name, 'status', r.status)
                    order by r.created_at desc, r.id desc)
     from (select * from prospects
            where account_id = p.account_id and person_id = p.id
            order by created_at desc, id desc limit ${sql.unsafe(String(MAX_PROSPECTS))}) r
     join campaigns c on c.account_id = r.account_id and c.id = r.campaign_id)`

/** Selects the person of row `alias` in brief, for objects that embed a person. */
export const selectPersonInBrief = (sql: Sql, alias: string): Fragment => sql`
  (select json_strip_nulls(json_build_object(
            'id', p.id, 'firstName', p.first_name, 'lastName', p.last_name, 'email', p.email,
            'company', (select o.name from companies o where o.account_id = p.account_id and o.id = p.company_id)))
     from persons p
    where p.account_id = ${sql.identifier(`${alias}.account_id`)} and p.id = ${sql.identifier(`${alias}.person_id`)})`
