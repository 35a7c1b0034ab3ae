import type { Context } from '../../../kernel/context.ts'
import type { Fragment, Sql } from '../../../kernel/db/database.ts'
import { isOptedOut } from '../opt-outs/find-opt-outs.ts'
import { personColumns } from './person-columns.ts'

const MAX_PROSPECTS = 10

/** API representation of a person `p`. Specified fields are null when unknown, the others absent. */
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
     'otherEmails', (select jsonb_agg(value order by value) from person_aliases
                      where account_id = p.account_id and person_id = p.id and kind = 'email'),
     'mergedPersonIds', (select jsonb_agg(id order by id) from persons
                          where account_id = p.account_id and merged_into_id = p.id),
     'mergedIntoId', p.merged_into_id,
     'isErased', case when p.erased_at is not null and p.merged_into_id is null then true end,
     'isOptedOut', nullif(${isOptedOut(sql, app)}, false),
     'lastContactedAt', api_time(greatest(${lastEmail(sql, sql`e.type <> 'received'`)}, ${lastLinkedinMessage(sql, sql`m.type <> 'received'`)})),
     'lastRepliedAt', api_time(greatest(${lastEmail(sql, sql`e.type = 'received'`)}, ${lastLinkedinMessage(sql, sql`m.type = 'received'`)})),
     'prospects', ${prospects(sql)})))::text
    as json`

/** The lateral joins read one message of each prospect, and of each thread outside of campaigns, from their indexes. */
const lastEmail = (sql: Sql, condition: Fragment): Fragment => sql`
  greatest(
    (select max(last.sent_at)
       from prospects r
      cross join lateral (
              select e.sent_at from email_messages e
               where e.account_id = r.account_id and e.prospect_id = r.id and e.status = 'sent' and ${condition}
               order by e.sent_at desc, e.id desc limit 1) last
      where r.account_id = p.account_id and r.person_id = p.id),
    (select max(last.sent_at)
       from email_threads h
      cross join lateral (
              select e.sent_at from email_messages e
               where e.account_id = h.account_id and e.thread_id = h.id and e.status = 'sent' and ${condition}
               order by e.sent_at desc, e.id desc limit 1) last
      where h.account_id = p.account_id and h.person_id = p.id and h.prospect_id is null))`

const lastLinkedinMessage = (sql: Sql, condition: Fragment): Fragment => sql`
  (select max(last.happened_at)
     from linkedin_conversations v
    cross join lateral (
            select m.happened_at from linkedin_messages m
             where m.account_id = v.account_id and m.conversation_record_id = v.id and m.status = 'sent' and ${condition}
             order by m.happened_at desc, m.id desc limit 1) last
    where v.account_id = p.account_id and v.person_id = p.id)`

const prospects = (sql: Sql): Fragment => sql`
  (select jsonb_agg(jsonb_build_object('id', r.id, 'campaignId', c.id, 'campaign', c.name, 'status', r.status)
                    order by r.created_at desc, r.id desc)
     from (select * from prospects
            where account_id = p.account_id and person_id = p.id
            order by created_at desc, id desc limit ${sql.unsafe(String(MAX_PROSPECTS))}) r
     join campaigns c on c.account_id = r.account_id and c.id = r.campaign_id)`

/** Selects the person of row `alias` in brief, for objects that embed it. */
export const personInBrief = (sql: Sql, alias: string): Fragment => sql`
  (select json_build_object(
            'id', p.id, 'firstName', p.first_name, 'lastName', p.last_name, 'email', p.email,
            'company', (select o.name from companies o where o.account_id = p.account_id and o.id = p.company_id))
     from persons p
    where p.account_id = ${sql.identifier(`${alias}.account_id`)} and p.id = ${sql.identifier(`${alias}.person_id`)})`
