import type { Input, Output } from '../../../contract/index.ts'
import { type Context, withAccount } from '../../kernel/context.ts'
import { invalid, notFound } from '../../kernel/errors.ts'

const DEFAULT_DAYS = 30
const MAX_DAYS = 366

type Stats = Output<'getCampaignStats'>
const names = [
  'sent',
  'delivered',
  'replied',
  'autoReplied',
  'bouncedHard',
  'bouncedSoft',
  'blocked',
  'refused',
  'optedOut',
  'complaints',
] as const
type Numbers = Record<(typeof names)[number], number>

/** Number of events of one kind per day, step and variant. `day` counts from 1; 0 is before the first day. */
type EventCount = {
  name: keyof Numbers
  stepId: string | null
  variantId: string | null
  day: number
  count: number
}

type StatsCampaign = {
  timezone: string
  prospects: Record<string, number>
  positions: { id: string; position: number }[]
  tasks: ({ stepId: string } & NonNullable<Stats['steps'][number]['tasks']>)[]
  calls: ({ stepId: string } & NonNullable<Stats['steps'][number]['calls']>)[]
}

export async function getCampaignStats(
  ctx: Context,
  { campaignId, from, to }: Input<'getCampaignStats'>,
): Promise<Stats> {
  const campaign = await readCampaign(ctx, campaignId)
  const days = listDays(from, to, ctx.app.now(), campaign.timezone)
  const counted = await countEvents(ctx, campaignId, toDayStarts(days, campaign.timezone))
  const positions = new Map(campaign.positions.map(({ id, position }) => [id, position]))
  const countsByDay = Map.groupBy(counted, ({ day }) => day)
  const counts = Map.groupBy(counted, ({ stepId }) => stepId)
  const tasks = new Map(campaign.tasks.map(({ stepId, ...tasks }) => [stepId, tasks]))
  const calls = new Map(campaign.calls.map(({ stepId, ...calls }) => [stepId, calls]))
  const stepIds = new Set([...counts.keys(), ...tasks.keys(), ...calls.keys()].filter(id => id !== null))
  const steps = Array.from(stepIds, stepId => {
    const rows = counts.get(stepId) ?? []
    const variants = Map.groupBy(
      rows.filter(row => row.variantId !== null),
      row => row.variantId!,
    )
    return {
      stepId,
      ...(positions.has(stepId) && { position: positions.get(stepId)! }),
      ...sum(rows),
      ...(tasks.has(stepId) && { tasks: tasks.get(stepId)! }),
      ...(calls.has(stepId) && { calls: calls.get(stepId)! }),
      variants: Array.from(variants, ([variantId, own]) => ({ variantId, ...sum(own) })),
    }
  })
  const { replied, autoReplied, optedOut, complaints } = sum(counts.get(null) ?? [])
  const last = Number.POSITIVE_INFINITY
  return {
    objectType: 'campaign_stats',
    campaignId,
    enrolled: Object.values(campaign.prospects).reduce((sum, count) => sum + count, 0),
    prospects: campaign.prospects,
    ...sum(counted),
    steps: steps.sort((a, b) => (a.position ?? last) - (b.position ?? last)),
    outsideSteps: { replied, autoReplied, optedOut, complaints },
    days: days.map((date, n) => ({ date: date.toString(), ...sum(countsByDay.get(n + 1) ?? []) })),
  }
}

function sum(counted: readonly EventCount[]): Numbers {
  const total = Object.fromEntries(names.map(name => [name, 0])) as Numbers
  for (const { name, count } of counted) total[name] += count
  return total
}

function listDays(from: string | undefined, to: string | undefined, now: Date, timezone: string) {
  const today = now.toTemporalInstant().toZonedDateTimeISO(timezone).toPlainDate()
  const first = from === undefined ? undefined : Temporal.PlainDate.from(from)
  const isAhead = first && Temporal.PlainDate.compare(first, today) > 0
  const last = to === undefined ? (isAhead ? first : today) : Temporal.PlainDate.from(to)
  const start = first ?? last.subtract({ days: DEFAULT_DAYS - 1 })
  const count = start.until(last).days + 1
  if (count > MAX_DAYS) throw invalid('from', `must be at most ${MAX_DAYS} days before the last day`)
  return Array.from({ length: count }, (_, n) => start.add({ days: n }))
}

/**
 * Returns the start of each day and the end of the last one. Computed here because PostgreSQL's time zone data may
 * differ.
 */
const toDayStarts = (days: Temporal.PlainDate[], timezone: string): string[] =>
  [...days, days.at(-1)!.add({ days: 1 })].map(day => day.toZonedDateTime(timezone).toInstant().toString())

async function readCampaign(ctx: Context, campaignId: string): Promise<StatsCampaign> {
  const [campaign] = await ctx.sql<StatsCampaign[]>`
    select found.*
      from ${withAccount(ctx)}
     cross join lateral (
       select (select timezone from accounts where id = c.account_id) as timezone,
              (select coalesce(json_agg(json_build_object('id', id, 'position', position)), '[]')
                 from campaign_steps
                where account_id = c.account_id and campaign_id = c.id and removed_at is null) as positions,
              (select coalesce(json_agg(t), '[]')
                 from (select step_id as "stepId", count(*) filter (where status = 'open')::integer as open,
                              count(*) filter (where status = 'completed')::integer as completed,
                              count(*) filter (where status = 'skipped')::integer as skipped,
                              count(*) filter (where status = 'cancelled')::integer as cancelled
                         from tasks
                        where account_id = c.account_id and campaign_id = c.id and step_id is not null
                        group by step_id) t) as tasks,
              (select coalesce(json_agg(k), '[]')
                 from (select step_id as "stepId", count(*) filter (where status <> 'ended')::integer as open,
                              count(*) filter (where outcome = 'answered')::integer as answered,
                              count(*) filter (where outcome = 'voicemail')::integer as voicemail,
                              count(*) filter (where outcome = 'no_answer')::integer as "noAnswer",
                              count(*) filter (where outcome = 'busy')::integer as busy,
                              count(*) filter (where outcome = 'failed')::integer as failed,
                              count(*) filter (where outcome = 'refused')::integer as refused
                         from calls
                        where account_id = c.account_id and campaign_id = c.id and step_id is not null
                          and outcome is distinct from 'withdrawn'
                        group by step_id) k) as calls,
              (select coalesce(json_object_agg(status, count), '{}')
                 from (select status, count(*)::integer as count
                         from prospects
                        where account_id = c.account_id and campaign_id = c.id
                        group by status) by_status) as prospects
         from campaigns c
        where c.account_id = s.account_id and c.id = ${campaignId}) found`
  if (!campaign) throw notFound('campaign')
  return campaign
}

/**
 * Counts events. Sent, delivered, bounced and refused mails count on the day of sending, bounces once per mail. Replies
 * and opt-outs count once per prospect, at the first one: by email, on LinkedIn, or in an answered call that stops the
 * sequence. Opt-outs from elsewhere, such as another campaign, count when the prospect's status changed.
 */
const countEvents = (ctx: Context, campaignId: string, dayStarts: string[]): Promise<EventCount[]> => ctx.sql<
  EventCount[]
>`
  select found.*
    from ${withAccount(ctx)}
   cross join lateral (
     with mails as (
       select m.id, m.prospect_id, m.step_id, m.variant_id, m.sent_at,
              m.type = 'campaign' and m.status = 'sent' as is_sent,
              m.type = 'campaign' and m.delivery_status = 'failed' as is_refused
         from email_messages m
        where m.account_id = s.account_id and m.campaign_id = ${campaignId} and m.type <> 'received'),
     bounces as (
       -- The worst of several bounces counts: hard, policy, soft, unknown.
       select m.id, min(array_position(array['hard', 'policy', 'soft', 'unknown'], r.bounce_class)) as worst
         from received_mails r
         join mails m on m.id = r.about_id and m.is_sent
        where r.account_id = s.account_id and r.kind = 'bounce'
        group by m.id),
     answers as (
       select case r.kind when 'auto_reply' then 'autoReplied' when 'complaint' then 'complaints' else 'replied' end as name,
              m.prospect_id, m.step_id, m.variant_id, r.received_at as at
         from received_mails r
         join mails m on m.id = r.about_id
        where r.account_id = s.account_id
          -- Mails that a mail client sends only to opt out are not stored, and don't count as replies.
          and (r.kind = 'complaint'
               or r.kind in ('reply', 'unsubscribe', 'auto_reply')
                  and exists (select from email_messages w where w.account_id = r.account_id and w.id = r.id))
       union all
       -- A LinkedIn message from a prospect is attributed to the last LinkedIn step done before it.
       select 'replied', l.prospect_id, done.step_id, done.variant_id, l.happened_at
         from linkedin_messages l
         join prospects p on p.account_id = l.account_id and p.id = l.prospect_id and p.created_at <= l.happened_at
         left join lateral (
           select t.step_id, t.variant_id
             from tasks t
            where t.account_id = l.account_id and t.prospect_id = l.prospect_id and t.status = 'completed'
              and t.channel in ('linkedin_connect', 'linkedin_message') and t.ended_at <= l.happened_at
            order by t.ended_at desc
            limit 1) done on true
        where l.account_id = s.account_id and l.campaign_id = ${campaignId}
          and l.kind in ('received sent', 'received sent unread')
       union all
       select 'replied', k.prospect_id, k.step_id, null, coalesce(k.started_at, k.ended_at)
         from calls k
         join campaign_steps st on st.account_id = k.account_id and st.id = k.step_id and st.on_answered = 'stop'
        where k.account_id = s.account_id and k.campaign_id = ${campaignId} and k.outcome = 'answered'
       union all
       select 'optedOut', m.prospect_id, m.step_id, m.variant_id, o.created_at
         from opt_outs o
         join mails m on m.id = o.email_message_id
        where o.account_id = s.account_id and o.source <> 'bounce'
       union all
       select 'optedOut', p.id, null, null, p.updated_at
         from prospects p
        where p.account_id = s.account_id and p.campaign_id = ${campaignId} and p.status = 'opted_out'),
     events as (
       select unnest(array['sent'] || case b.worst when 1 then array['bouncedHard'] when 2 then array['blocked']
                                                   when 3 then array['bouncedSoft'] when 4 then array['bouncedSoft']
                                                   else array['delivered'] end) as name,
              m.step_id, m.variant_id, m.sent_at as at
         from mails m
         left join bounces b on b.id = m.id
        where m.is_sent
       union all
       select 'refused', step_id, variant_id, sent_at from mails where is_refused
       union all
       (select distinct on (name, prospect_id) name, step_id, variant_id, at
          from answers
         order by name, prospect_id, at, step_id))
     select name, step_id as "stepId", variant_id as "variantId", width_bucket(at, ${dayStarts}::timestamptz[]) as day,
            count(*)::integer as count
       from events
      group by 1, 2, 3, 4) found`
