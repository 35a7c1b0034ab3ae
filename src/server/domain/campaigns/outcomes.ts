import type { Fragment, Sql } from '../../kernel/db/database.ts'

/** Limits the outcomes to one or several campaigns, to a period, or to both. */
export type OutcomeScope = {
  campaignId?: string | readonly string[] | undefined
  /** `until` is exclusive. */
  period?: { from: string; until: string } | undefined
}

/**
 * Returns the CTEs `sent`, with an outcome per sent email, and `other_outcomes`, for a statement that selects the
 * account as `s`. Their columns are name, prospect_id, campaign_id, step_id, variant_id, rep_id, mailbox_id, domain, at
 * and contacted_at; a third CTE, `sent_emails`, also has id, previous_sent_at and is_irregular. Campaign statistics and
 * reports count only these rows, so that their numbers agree.
 *
 * `contacted_at` is when the email, invitation, LinkedIn message or call that the outcome responds to was sent or
 * placed; null when no contact shares the other columns of the outcome.
 *
 * Each bounced email counts once, on the day it was sent. Replies, opt-outs and complaints count once per prospect, at
 * the time of the first. A reply is an email, a LinkedIn message, or an answered call that stops the sequence. Opt-outs
 * from elsewhere, such as another campaign, count when the prospect's status changed.
 */
export function defineOutcomes(sql: Sql, scope: OutcomeScope): Fragment {
  const { period } = scope
  const isIn = (alias: string, timeColumn: string): Fragment =>
    sql`${isOfCampaign(sql, scope, alias)} ${during(sql, scope, timeColumn)}`
  return sql`
    sent_emails as not materialized (
      select 'sent' as name, m.prospect_id, m.campaign_id, m.step_id, m.variant_id, m.rep_id, m.mailbox_id,
             m.recipient_domain as domain, m.sent_at as at, m.sent_at as contacted_at, m.id, m.previous_sent_at, m.is_irregular
        from email_messages m
       where m.account_id = s.account_id and m.type = 'campaign' and m.status = 'sent' ${isIn('m', 'm.sent_at')}),
    sent as not materialized (
      select name, prospect_id, campaign_id, step_id, variant_id, rep_id, mailbox_id, domain, at, contacted_at
        from sent_emails),
    ${
      // The first answer of a prospect may be older than the period.
      period
        ? sql`
          answered as materialized (${selectAnswers(sql, isIn)}),
          answers as (
            select * from answered
            union all
            ${selectAnswers(
              sql,
              (alias, timeColumn, names) => sql`
                and ${sql.unsafe(timeColumn)} < ${period.from}::timestamptz ${hasAnswered(sql, alias, names)}`,
            )}),`
        : sql`answers as (${selectAnswers(sql, isIn)}),`
    }
    first_answers as materialized (
      select *
        from (select distinct on (name, prospect_id) * from answers order by name, prospect_id, at, step_id) a
       where true ${during(sql, scope, 'a.at')}),
    -- Read once instead of looking up the prospect of every answer.
    interested as materialized (
      select p.id
        from prospects p
       where p.account_id = s.account_id and p.intent = 'interested' ${isOfCampaign(sql, scope, 'p')}),
    other_outcomes as (
      ${selectReturned(sql, isIn, scope)}
      union all ${selectLinkedin(sql, isIn)}
      union all ${selectCalls(sql, isIn)}
      union all ${selectMeetings(sql, isIn)}
      union all select * from first_answers
      union all
      select 'positive', a.prospect_id, a.campaign_id, a.step_id, a.variant_id, a.rep_id, a.mailbox_id, a.domain, a.at,
             a.contacted_at
        from first_answers a
        join interested p on p.id = a.prospect_id
       where a.name = 'replied')`
}

/** A function that returns the condition that a row of table `alias`, which happened at `timeColumn`, is in scope. */
type InScope = (alias: string, timeColumn: string) => Fragment
/** A function that returns the condition that an answer with one of these names is in scope. */
type AnswerInScope = (alias: string, timeColumn: string, names: readonly AnswerName[]) => Fragment
type AnswerName = 'autoReplied' | 'complaints' | 'replied' | 'optedOut'

const hasAnswered = (sql: Sql, alias: string, names: readonly AnswerName[]): Fragment => sql`
  and ${sql.identifier(`${alias}.prospect_id`)} in (select prospect_id from answered where name = any(${[...names]}::text[]))`

function isOfCampaign(sql: Sql, { campaignId }: OutcomeScope, alias: string): Fragment {
  if (campaignId === undefined) return sql``
  const column = sql.identifier(`${alias}.campaign_id`)
  return typeof campaignId === 'string'
    ? sql`and ${column} = ${campaignId}`
    : sql`and ${column} = any(${[...campaignId]}::uuid[])`
}

const during = (sql: Sql, { period }: OutcomeScope, timeColumn: string): Fragment =>
  period
    ? sql`and ${sql.unsafe(timeColumn)} >= ${period.from}::timestamptz and ${sql.unsafe(timeColumn)} < ${period.until}::timestamptz`
    : sql``

/** Selects emails that bounced or were refused. */
const selectReturned = (sql: Sql, isIn: InScope, scope: OutcomeScope): Fragment => sql`
  -- The worst of several bounces counts.
  select case min(array_position(array['hard', 'policy', 'soft', 'unknown'], r.bounce_class))
           when 1 then 'bouncedHard' when 2 then 'blocked' else 'bouncedSoft' end as name,
         any_value(r.prospect_id) as prospect_id, any_value(r.campaign_id) as campaign_id, any_value(r.step_id) as step_id,
         any_value(r.variant_id) as variant_id, any_value(r.rep_id) as rep_id, any_value(r.about_mailbox_id) as mailbox_id,
         any_value(r.recipient_domain) as domain, any_value(r.contacted_at) as at, any_value(r.contacted_at) as contacted_at
    from received_mails r
   where r.account_id = s.account_id and r.kind = 'bounce' ${isOfCampaign(sql, scope, 'r')}
     ${scope.period ? sql`and r.received_at >= ${scope.period.from}::timestamptz - interval '1 day'` : sql``}
     and r.about_id is not null and r.contacted_at is not null ${during(sql, scope, 'r.contacted_at')}
   group by r.about_id
  union all
  select 'refused', m.prospect_id, m.campaign_id, m.step_id, m.variant_id, m.rep_id, m.mailbox_id, m.recipient_domain, m.sent_at,
         null
    from email_messages m
   where m.account_id = s.account_id and m.type = 'campaign' and m.delivery_status = 'failed' ${isIn('m', 'm.sent_at')}`

/** Selects invitations and messages of LinkedIn steps, and accepted invitations. */
const selectLinkedin = (sql: Sql, isIn: InScope): Fragment => sql`
  select case t.channel when 'linkedin_connect' then 'invited' else 'linkedinSent' end,
         t.prospect_id, t.campaign_id, t.step_id, t.variant_id, t.rep_id, null::uuid, null, t.ended_at, t.ended_at
    from tasks t
   where t.account_id = s.account_id and t.status = 'completed' and t.channel in ('linkedin_connect', 'linkedin_message')
     and t.step_id is not null ${isIn('t', 't.ended_at')}
  union all
  select 'accepted', t.prospect_id, t.campaign_id, t.step_id, t.variant_id, t.rep_id, null, null, n.accepted_at,
         t.ended_at
    from linkedin_connections n
   cross join lateral (
     select * from tasks t
      where t.account_id = n.account_id and t.person_id = n.person_id and t.rep_id = n.rep_id
        and t.status = 'completed' and t.channel = 'linkedin_connect' and t.ended_at <= n.accepted_at
      order by t.ended_at desc
      limit 1) t
   where n.account_id = s.account_id and n.accepted_at is not null and t.step_id is not null ${isIn('t', 'n.accepted_at')}`

/**
 * Selects an outcome for each call placed, and another for each call answered. An assistant's call has a provider unless
 * it certainly reached nobody.
 */
const selectCalls = (sql: Sql, isIn: InScope): Fragment => sql`
  select unnest(case k.outcome when 'answered' then array['callsPlaced', 'callsAnswered'] else array['callsPlaced'] end),
         k.prospect_id, k.campaign_id, k.step_id, null, k.rep_id, null, null, k.placed_at, k.placed_at
    from calls k
   where k.account_id = s.account_id and k.placed_at is not null and k.call_type = 'outbound'
     and (k.assistant_id is null or k.provider is not null) ${isIn('k', 'k.placed_at')}`

/** Selects meetings, each attributed to the last email sent before it was booked. */
const selectMeetings = (sql: Sql, isIn: InScope): Fragment => sql`
  select 'meetings', g.prospect_id, g.campaign_id, m.step_id, m.variant_id, g.rep_id, m.mailbox_id, m.recipient_domain,
         g.booked_at, case when m.rep_id = g.rep_id then m.sent_at end
    from meetings g
    left join lateral (
      select m.step_id, m.variant_id, m.rep_id, m.mailbox_id, m.recipient_domain, m.sent_at
        from email_messages m
       where m.account_id = g.account_id and m.prospect_id = g.prospect_id and m.type = 'campaign' and m.status = 'sent'
         and m.sent_at <= g.booked_at
       order by m.sent_at desc, m.id desc
       limit 1) m on true
   where g.account_id = s.account_id and g.status = 'booked' ${isIn('g', 'g.booked_at')}`

/** Selects every response from prospects. */
const selectAnswers = (sql: Sql, isIn: AnswerInScope): Fragment => sql`
  select case r.kind when 'auto_reply' then 'autoReplied' when 'complaint' then 'complaints' else 'replied' end as name,
         r.prospect_id, r.campaign_id, r.step_id, r.variant_id, r.rep_id, r.about_mailbox_id as mailbox_id,
         r.recipient_domain as domain, r.received_at as at, r.contacted_at
    from received_mails r
   where r.account_id = s.account_id and r.about_id is not null and r.about_type <> 'received' and r.prospect_id is not null
     and r.kind in ('reply', 'unsubscribe', 'auto_reply', 'complaint')
     -- Emails that a mail client sends only to opt out are not stored, and don't count as replies. Uses a subselect,
     -- because exists would read all messages into a hash table.
     and (r.kind <> 'unsubscribe'
          or (select true from email_messages w where w.account_id = r.account_id and w.id = r.id limit 1))
     ${isIn('r', 'r.received_at', ['autoReplied', 'complaints', 'replied'])}
  union all
  -- A LinkedIn message from a prospect is attributed to the last LinkedIn step done before it.
  select 'replied', l.prospect_id, l.campaign_id, done.step_id, done.variant_id, l.rep_id, null, null, l.happened_at,
         case when done.rep_id = l.rep_id then done.ended_at end
    from linkedin_messages l
   cross join lateral (
     select from prospects p
      where p.account_id = l.account_id and p.id = l.prospect_id and p.created_at <= l.happened_at
      limit 1) p
    left join lateral (
      select t.step_id, t.variant_id, t.rep_id, t.ended_at
        from tasks t
       where t.account_id = l.account_id and t.prospect_id = l.prospect_id and t.status = 'completed'
         and t.channel in ('linkedin_connect', 'linkedin_message') and t.ended_at <= l.happened_at
       order by t.ended_at desc
       limit 1) done on true
   where l.account_id = s.account_id and l.type = 'received' and l.status = 'sent' ${isIn('l', 'l.happened_at', ['replied'])}
  union all
  select 'replied', k.prospect_id, k.campaign_id, k.step_id, null, k.rep_id, null, null, coalesce(k.started_at, k.ended_at),
         k.placed_at
    from calls k
   where k.account_id = s.account_id and k.outcome = 'answered' and k.on_answered = 'stop' ${isIn('k', 'coalesce(k.started_at, k.ended_at)', ['replied'])}
  union all
  select 'optedOut', m.prospect_id, m.campaign_id, m.step_id, m.variant_id, m.rep_id, m.mailbox_id, m.recipient_domain, o.created_at,
         ${selectCampaignSentAt(sql)}
    from opt_outs o
    join email_messages m on m.account_id = o.account_id and m.id = o.email_message_id
   where o.account_id = s.account_id and o.source <> 'bounce' and m.type <> 'received' and m.prospect_id is not null
     ${isIn('m', 'o.created_at', ['optedOut'])}
  union all
  select 'optedOut', p.id, p.campaign_id, null, null, p.rep_id, p.mailbox_id, null, p.opted_out_at, null
    from (select *, id as prospect_id from prospects) p
   where p.account_id = s.account_id and p.status = 'opted_out' ${isIn('p', 'p.opted_out_at', ['optedOut'])}`

/** Selects the time at which campaign email `m` was sent; null for manual emails, which are not campaign contacts. */
const selectCampaignSentAt = (sql: Sql): Fragment =>
  sql`case when m.type = 'campaign' and m.status = 'sent' then m.sent_at end`

type EmailCounts = { sent: number; bouncedHard: number; bouncedSoft: number; blocked: number }

/** Returns how many emails were not reported as undelivered. */
export const getDelivered = ({ sent, bouncedHard, bouncedSoft, blocked }: EmailCounts): number =>
  sent - bouncedHard - bouncedSoft - blocked
