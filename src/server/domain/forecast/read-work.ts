import { createYielder } from '../../kernel/async/yield-to-event-loop.ts'
import type { Context } from '../../kernel/context.ts'
import type { Fragment } from '../../kernel/db/database.ts'
import { notFound } from '../../kernel/errors.ts'
import { type NewProspectLimit, newProspectLimitColumns } from '../campaigns/new-prospect-limit.ts'
import { nextStep } from '../campaigns/next-step.ts'
import { capsAhead } from '../mailboxes/quota.ts'
import { getDueTime } from '../prospects/due-time.ts'
import { findPersonZone, type TimezoneFacts } from '../prospects/prospect-zone.ts'
import { openStatuses } from '../prospects/write-prospects.ts'
import { findIncompleteProspects, type NamedIncomplete } from '../rendering/fail-incomplete-prospects.ts'
import { type Cohort, type CompletedStep, type SimulatedCampaign, toClock } from './simulate.ts'
import { type MailboxFacts, SimulatedMailbox } from './simulated-mailbox.ts'

/** Above this number of emails, mailboxes with gaps are simulated as sending several at a time. */
const MAX_SIMULATED_SENDS = 20_000

/** The upcoming work of a campaign that is launched or resumed now, and of the campaigns that share its mailboxes. */
export type UpcomingWork = {
  campaign: SimulatedCampaign
  /** Prospects without work because they lack a value; only for a draft, whose launch fails them. */
  incomplete: NamedIncomplete | undefined
  cohorts: Cohort[]
  /** Emails in the queue. */
  queued: CompletedStep[]
}

type CampaignRow = Omit<SimulatedCampaign, 'mailboxes' | 'newProspectLimit'> &
  NewProspectLimit & { status: string; mailboxIds: string[] }

type MailboxRow = MailboxFacts & { isWorking: boolean }

type CohortRow = TimezoneFacts & {
  mailboxId: string | null
  stepId: string | null
  isNew: boolean
  hasEmail: boolean
  dueAt: Date
  count: number
}

export async function readWork(ctx: Context, campaignId: string, horizonDays: number): Promise<UpcomingWork> {
  const rows = await readCampaigns(ctx, campaignId)
  const target = rows.find(({ id }) => id === campaignId.toLowerCase())
  if (!target) throw notFound('campaign')
  const otherCampaigns = rows.filter(row => row !== target)
  const mailboxIds = [...new Set(rows.flatMap(row => row.mailboxIds))]
  const mailboxes = await readMailboxes(ctx, mailboxIds, horizonDays)
  const incomplete = target.status === 'draft' ? await findIncompleteProspects(ctx, campaignId) : undefined
  const ownCohorts = await readCohorts(ctx, campaignId, incomplete?.ids ?? [])
  const otherCohorts = await readOtherCohorts(ctx, otherCampaigns)
  const queued = await readQueued(ctx, rows, mailboxIds)
  const getEmailCount = (row: CampaignRow | undefined) =>
    row?.steps.filter(({ channel }) => channel === 'email').length ?? 0
  const total =
    ownCohorts.reduce((sum, { count }) => sum + count * getEmailCount(target), 0) +
    otherCohorts.reduce(
      (sum, { count, campaignId }) => sum + count * getEmailCount(rows.find(({ id }) => id === campaignId)),
      0,
    )
  const perGap = Math.max(1, Math.ceil(total / MAX_SIMULATED_SENDS))
  const simulated = new Map(
    mailboxes.filter(({ isWorking }) => isWorking).map(row => [row.id, new SimulatedMailbox(row, perGap)]),
  )
  const campaigns = new Map(
    rows.map(({ perDay, begunOn, begunCount, ...row }): [string, SimulatedCampaign] => [
      row.id,
      {
        ...row,
        newProspectLimit: { perDay, begunOn, begunCount },
        mailboxes: row.mailboxIds.flatMap(id => simulated.get(id) ?? []),
      },
    ]),
  )
  const campaign = campaigns.get(target.id)!
  return {
    campaign,
    incomplete,
    cohorts: [
      ...(await toCohorts(ctx, ownCohorts, { campaign, row: target })),
      ...otherCohorts.flatMap(each => toOtherCohort(each, campaigns)),
    ],
    queued: queued.flatMap(each => toQueued(each, campaigns)),
  }
}

/** Reads the campaign and the active campaigns that share a rep with it. */
const readCampaigns = (ctx: Context, campaignId: string): Promise<CampaignRow[]> => ctx.sql<CampaignRow[]>`
    select c.id, c.status, c.schedule, a.timezone as "accountTimezone", ${newProspectLimitColumns(ctx.sql)},
           (select coalesce(json_agg(json_build_object('id', st.id, 'channel', st.channel, 'delay',
                                       json_build_object('amount', st.delay_amount, 'unit', st.delay_unit))
                                     order by st.position), '[]')
              from campaign_steps st
             where st.account_id = c.account_id and st.campaign_id = c.id and st.removed_at is null) as steps,
           array(select b.id
                   from campaign_reps k
                   join mailboxes b on b.account_id = k.account_id and b.rep_id = k.rep_id and b.removed_at is null
                  where k.account_id = c.account_id and k.campaign_id = c.id
                  order by b.id) as "mailboxIds"
      from campaigns c
      join accounts a on a.id = c.account_id
     where c.account_id = ${ctx.accountId}
       and (c.id = ${campaignId}
            or c.status = 'active'
               and exists (select from campaign_reps k
                             join campaign_reps own on own.account_id = k.account_id and own.rep_id = k.rep_id
                            where k.account_id = c.account_id and k.campaign_id = c.id
                              and own.campaign_id = ${campaignId}))`

const readMailboxes = (ctx: Context, ids: string[], horizonDays: number): Promise<MailboxRow[]> => {
  const { sql } = ctx
  const now = ctx.app.now()
  return sql<MailboxRow[]>`
      select b.id, b.email, b.min_gap_seconds as "minGapSeconds", ${capsAhead(sql, now, horizonDays)} as "capsAhead",
             b.status = 'active' and b.paused_at is null as "isWorking",
             (extract(epoch from b.gap_ends_at) * 1000)::float8 as "gapEndsAt",
             (select coalesce(json_agg(json_build_object('at', extract(epoch from used.minute) * 1000, 'count', used.count)
                                       order by used.minute), '[]')
                from (select least(date_trunc('minute', t.at) + interval '1 minute', ${now}::timestamptz) as minute, count(*) as count
                        from mailbox_attempts t
                       where t.account_id = b.account_id and t.mailbox_id = b.id
                         and t.at > ${now}::timestamptz - interval '24 hours'
                       group by 1
                      union all
                      select ${now}::timestamptz, count(*)
                        from email_sends e
                       where e.account_id = b.account_id and e.mailbox_id = b.id
                         and e.state in ('queued', 'claimed', 'dot_pending')
                         and e.due_at < ${now}::timestamptz + interval '24 hours'
                      having count(*) > 0) used) as attempts
        from mailboxes b
       where b.account_id = ${ctx.accountId} and b.id = any(${ids}::uuid[])`
}

/** Returns a condition that is true for prospects `r` with a step to come. */
const isWaiting = ({ sql }: Context): Fragment =>
  sql`r.status in ${openStatuses(sql)} and r.next_step_at is not null`

/**
 * Groups a campaign's prospects that wait for a step, an open task or a call, without the excluded ones. Those that
 * wait for a step are grouped by the minute in which the step is due.
 */
const readCohorts = (ctx: Context, campaignId: string, excludedIds: string[]): Promise<CohortRow[]> => {
  const { sql } = ctx
  const now = ctx.app.now()
  return sql<CohortRow[]>`
      select one.mailbox_id as "mailboxId", one.step_id as "stepId", one.is_new as "isNew",
             p.email is not null as "hasEmail", p.timezone, min(p.phone) as phone,
             case when p.timezone is null then p.country end as country,
             date_trunc('minute', one.due_at) as "dueAt", count(*)::int as count
        from (select r.account_id, r.person_id, r.mailbox_id, st.id as step_id, r.began_at is null as is_new,
                     greatest(r.next_step_at, r.away_until) as due_at
                from prospects r
                -- Prospects who were never contacted get the first step.
                left join lateral (select n.id from (${nextStep(sql)}) n where r.began_at is not null) st on true
               where r.account_id = ${ctx.accountId} and r.campaign_id = ${campaignId} and ${isWaiting(ctx)}
                 and not exists (select from unnest(${excludedIds}::uuid[]) excluded(id) where excluded.id = r.id)
              union all
              select r.account_id, r.person_id, r.mailbox_id, open_work.step_id, false, ${now}::timestamptz
                from (select account_id, prospect_id, step_id from tasks
                       where account_id = ${ctx.accountId} and campaign_id = ${campaignId} and status = 'open'
                      union all
                      select account_id, prospect_id, step_id from calls
                       where account_id = ${ctx.accountId} and campaign_id = ${campaignId} and status <> 'ended') open_work
                join prospects r on r.account_id = open_work.account_id and r.id = open_work.prospect_id
                                and r.status in ${openStatuses(sql)}
               where open_work.step_id is not null) one
        join persons p on p.account_id = one.account_id and p.id = one.person_id
       -- The first nine characters of a number determine its time zone.
       group by 1, 2, 3, 4, 5, case when p.timezone is null then left(p.phone, 9) end, 7, 8`
}

type OtherRow = {
  campaignId: string
  mailboxId: string | null
  stepsDone: number
  isNew: boolean
  dueAt: Date
  count: number
}

/** Groups other campaigns' prospects by the hour, ignoring their time zones and changes to earlier steps. */
const readOtherCohorts = (ctx: Context, campaigns: CampaignRow[]): Promise<OtherRow[]> => ctx.sql<OtherRow[]>`
    select r.campaign_id as "campaignId", r.mailbox_id as "mailboxId", r.steps_done as "stepsDone",
           r.began_at is null as "isNew", date_trunc('hour', r.next_step_at) as "dueAt", count(*)::int as count
      from prospects r
     where r.account_id = ${ctx.accountId} and r.campaign_id = any(${campaigns.map(({ id }) => id)}::uuid[])
       and ${isWaiting(ctx)}
     group by 1, 2, 3, 4, 5`

type QueuedRow = { campaignId: string; mailboxId: string; stepId: string; dueAt: Date; count: number }

const readQueued = (ctx: Context, campaigns: CampaignRow[], mailboxIds: string[]): Promise<QueuedRow[]> =>
  ctx.sql<QueuedRow[]>`
    select e.campaign_id as "campaignId", e.mailbox_id as "mailboxId", e.step_id as "stepId",
           greatest(date_trunc('minute', e.due_at), ${ctx.app.now()}::timestamptz) as "dueAt", count(*)::int as count
      from email_sends e
     where e.account_id = ${ctx.accountId} and e.mailbox_id = any(${mailboxIds}::uuid[]) and e.step_id is not null
       and e.campaign_id = any(${campaigns.map(({ id }) => id)}::uuid[])
       and e.state in ('queued', 'claimed', 'dot_pending')
     group by 1, 2, 3, 4`

async function toCohorts(
  { app }: Context,
  rows: CohortRow[],
  { campaign, row: { status, mailboxIds } }: { campaign: SimulatedCampaign; row: CampaignRow },
): Promise<Cohort[]> {
  const yieldIfDue = createYielder()
  const cohorts: Cohort[] = []
  for (const { timezone, phone, country, ...row } of rows) {
    await yieldIfDue()
    const step = row.stepId ? campaign.steps.findIndex(({ id }) => id === row.stepId) : row.isNew ? 0 : -1
    const first = campaign.steps[step]
    if (!first) continue
    const cohort = {
      campaign,
      // A prospect whose mailbox or rep was removed gets another mailbox.
      mailboxId: row.mailboxId && mailboxIds.includes(row.mailboxId) ? row.mailboxId : null,
      zone: findPersonZone({ timezone, phone, country }) ?? null,
      ...{ step, isNew: row.isNew, hasEmail: row.hasEmail, dueAt: row.dueAt.getTime(), count: row.count },
    }
    // The delay of the first step starts at the launch.
    const isDelayed = status === 'draft' && first.delay.amount > 0
    cohorts.push(
      isDelayed
        ? { ...cohort, dueAt: getDueTime(app.now(), first.delay, toClock(cohort)).getTime() }
        : cohort,
    )
  }
  return cohorts
}

function toOtherCohort(
  { campaignId, mailboxId, stepsDone, dueAt, ...row }: OtherRow,
  campaigns: ReadonlyMap<string, SimulatedCampaign>,
): Cohort[] {
  const campaign = campaigns.get(campaignId)!
  const step = Math.min(stepsDone, campaign.steps.length - 1)
  if (step < 0) return []
  return [{ campaign, mailboxId, step, zone: null, hasEmail: true, dueAt: dueAt.getTime(), ...row }]
}

function toQueued(
  { campaignId, stepId, mailboxId, dueAt, count }: QueuedRow,
  campaigns: ReadonlyMap<string, SimulatedCampaign>,
): CompletedStep[] {
  const campaign = campaigns.get(campaignId)!
  const step = campaign.steps.findIndex(({ id }) => id === stepId)
  const at = dueAt.getTime()
  const cohort = { campaign, mailboxId, step, zone: null, isNew: false, hasEmail: true, dueAt: at, count }
  return step === -1 ? [] : [{ cohort, at, count, mailboxId }]
}
