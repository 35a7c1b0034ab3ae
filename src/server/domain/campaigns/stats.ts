import type { Input, Output } from '../../../contract/index.ts'
import { type Context, withAccount } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import { compareVariants, getInterval } from './compare-variants.ts'
import { listDays, toDayStarts } from './list-days.ts'
import { defineOutcomes, getDelivered } from './outcomes.ts'

type Stats = Output<'getCampaignStats'>
const countedNames = [
  'sent',
  'bouncedHard',
  'bouncedSoft',
  'blocked',
  'refused',
  'replied',
  'positive',
  'autoReplied',
  'optedOut',
  'complaints',
  'meetings',
] as const
type Counts = Record<(typeof countedNames)[number], number>
type Numbers = Counts & { delivered: number }

/** Number of outcomes of one kind per day, step and variant. `day` counts from 1; 0 is before the first day. */
type OutcomeCount = {
  name: keyof Counts
  stepId: string | null
  variantId: string | null
  day: number
  count: number
}

type Sample = { stepId: string; variantId: string; contacted: number; successes: number }

type StatsCampaign = {
  timezone: string
  prospects: Record<string, number>
  steps: { id: string; position: number; winner: Stats['steps'][number]['winner'] | null }[]
  tasks: ({ stepId: string } & NonNullable<Stats['steps'][number]['tasks']>)[]
  calls: ({ stepId: string } & NonNullable<Stats['steps'][number]['calls']>)[]
}

export async function getCampaignStats(
  ctx: Context,
  { campaignId, from, to }: Input<'getCampaignStats'>,
): Promise<Stats> {
  const campaign = await readCampaign(ctx, campaignId)
  const { timezone } = campaign
  const days = listDays({ from, to, now: ctx.app.now(), timezone })
  const counted = await countOutcomes(ctx, campaignId, toDayStarts(days, timezone))
  const currentSteps = new Map(campaign.steps.map(step => [step.id, step]))
  const countsByDay = Map.groupBy(counted, ({ day }) => day)
  const counts = Map.groupBy(counted, ({ stepId }) => stepId)
  const tasks = new Map(campaign.tasks.map(({ stepId, ...tasks }) => [stepId, tasks]))
  const calls = new Map(campaign.calls.map(({ stepId, ...calls }) => [stepId, calls]))
  const stepIds = new Set([...counts.keys(), ...tasks.keys(), ...calls.keys()].filter(id => id !== null))
  const testedStepIds = [...counts].flatMap(([stepId, rows]) =>
    stepId && new Set(rows.flatMap(({ variantId }) => variantId ?? [])).size > 1 ? [stepId] : [],
  )
  const samples = testedStepIds.length > 0 ? await countReplies(ctx, campaignId, testedStepIds) : []
  const intervals = new Map(
    samples.map(each => [each.variantId, getInterval(each.successes, each.contacted)]),
  )
  const comparisons = new Map(compareVariants(samples).map(({ stepId, ...result }) => [stepId, result]))
  const steps = Array.from(stepIds, stepId => {
    const rows = counts.get(stepId) ?? []
    const variants = Map.groupBy(
      rows.filter(row => row.variantId !== null),
      row => row.variantId!,
    )
    return {
      stepId,
      ...(currentSteps.has(stepId) && { position: currentSteps.get(stepId)!.position }),
      ...sum(rows),
      ...(tasks.has(stepId) && { tasks: tasks.get(stepId)! }),
      ...(calls.has(stepId) && { calls: calls.get(stepId)! }),
      variants: Array.from(variants, ([variantId, variantRows]) => ({
        ...{ variantId, ...sum(variantRows) },
        ...(intervals.get(variantId) && { replyInterval: intervals.get(variantId) }),
      })),
      ...(comparisons.has(stepId) && { comparison: comparisons.get(stepId)! }),
      ...(currentSteps.get(stepId)?.winner && { winner: currentSteps.get(stepId)!.winner! }),
    }
  })
  const { replied, positive, autoReplied, optedOut, complaints, meetings } = sum(counts.get(null) ?? [])
  const last = Number.POSITIVE_INFINITY
  return {
    objectType: 'campaign_stats',
    campaignId,
    enrolled: Object.values(campaign.prospects).reduce((sum, count) => sum + count, 0),
    prospects: campaign.prospects,
    ...sum(counted),
    steps: steps.sort((a, b) => (a.position ?? last) - (b.position ?? last)),
    outsideSteps: { replied, positive, autoReplied, optedOut, complaints, meetings },
    days: days.map((date, n) => ({ date: date.toString(), ...sum(countsByDay.get(n + 1) ?? []) })),
  }
}

function sum(counted: readonly OutcomeCount[]): Numbers {
  const total = Object.fromEntries(countedNames.map(name => [name, 0])) as Counts
  for (const { name, count } of counted) total[name] += count
  return { ...total, delivered: getDelivered(total) }
}

async function readCampaign(ctx: Context, campaignId: string): Promise<StatsCampaign> {
  const [campaign] = await ctx.sql<StatsCampaign[]>`
    select found.*
      from ${withAccount(ctx)}
     cross join lateral (
       select (select timezone from accounts where id = c.account_id) as timezone,
              (select coalesce(json_agg(json_build_object('id', id, 'position', position, 'winner', winner)), '[]')
                 from campaign_steps
                where account_id = c.account_id and campaign_id = c.id and removed_at is null) as steps,
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

/** Counts the campaign's outcomes by day, step and variant. */
const countOutcomes = (
  ctx: Context,
  campaignId: string,
  dayStarts: string[],
): Promise<OutcomeCount[]> => ctx.sql<OutcomeCount[]>`
  select found.*
    from ${withAccount(ctx)}
   cross join lateral (
     with ${defineOutcomes(ctx.sql, { campaignId })}
     select name, step_id as "stepId", variant_id as "variantId", width_bucket(at, ${dayStarts}::timestamptz[]) as day,
            count(*)::integer as count
       from (select * from sent union all select * from other_outcomes) o
      where name = any(${[...countedNames]}::text[])
      group by 1, 2, 3, 4) found`

/** Counts, for each variant of these steps, the people contacted and the people who replied. */
const countReplies = (
  ctx: Context,
  campaignId: string,
  stepIds: readonly string[],
): Promise<Sample[]> => ctx.sql<Sample[]>`
  select found.*
    from ${withAccount(ctx)}
   cross join lateral (
     with ${defineOutcomes(ctx.sql, { campaignId })}
     select step_id as "stepId", variant_id as "variantId",
            count(distinct prospect_id) filter (where name <> 'replied')::integer as contacted,
            count(distinct prospect_id) filter (where name = 'replied' and contacted_at is not null)::integer as successes
       from (select * from sent union all select * from other_outcomes) o
      where name in ('sent', 'invited', 'linkedinSent', 'replied') and variant_id is not null
        and step_id = any(${[...stepIds]}::uuid[])
      group by step_id, variant_id) found`
