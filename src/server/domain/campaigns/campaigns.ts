import { randomUUIDv7 } from 'node:crypto'
import type { campaignStatuses } from '../../../contract/campaigns.ts'
import type { Input, Output } from '../../../contract/index.ts'
import type { Schedule } from '../../../contract/schedule.ts'
import type { Context } from '../../kernel/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { type JsonFields, jsonObject, timestamp, uuid } from '../../kernel/db/json-object.ts'
import { type ErrorDetail, invalid, invalidAll, notFound } from '../../kernel/errors.ts'
import { findJson, type Json } from '../../kernel/json.ts'
import { isTimezone } from '../../protocols/identity/timezone.ts'
import { audit } from '../accounts/audit-log.ts'
import { listCustomKeys } from '../people/custom-fields/custom-values.ts'
import { parseSteps } from './parse-steps.ts'
import { getTemplateSteps } from './sequence-templates.ts'
import { stepsJson, writeSteps } from './stored-steps.ts'
import { winnersJson } from './winners.ts'

type CampaignStatus = (typeof campaignStatuses)[number]

/** Builds the API's JSON of campaign `c`, which ends with the `more` fields. */
export const campaignJson = (sql: Sql, more: JsonFields = {}): Fragment => sql`
  ${jsonObject({
    id: uuid('c.id'),
    objectType: 'campaign',
    createdAt: timestamp('c.created_at'),
    updatedAt: timestamp('c.updated_at'),
    name: sql`c.name`,
    status: sql`c.status`,
    isArchived: sql`c.is_archived`,
    launchedAt: timestamp('c.launched_at'),
    description: sql`c.description`,
    repIds: sql`(select coalesce(json_agg(k.rep_id order by k.position), '[]')
                   from campaign_reps k
                  where k.account_id = c.account_id and k.campaign_id = c.id)`,
    settings: {
      isEvergreen: sql`c.is_evergreen`,
      skipActiveElsewhere: sql`c.skip_active_elsewhere`,
      stopCompanyOnReply: sql`c.stop_company_on_reply`,
      holdRiskyAddresses: sql`c.hold_risky_addresses`,
      autoWinner: sql`c.auto_winner`,
    },
    schedule: sql`jsonb_strip_nulls(c.schedule)`,
    newProspectsPerDay: sql`c.new_prospects_per_day`,
    health: sql`c.health`,
    ...more,
  })} as json`

const stepFields = (sql: Sql): JsonFields => ({
  steps: sql`json_strip_nulls(${stepsJson(sql)})`,
  winners: sql`json_strip_nulls(${winnersJson(sql)})`,
})

export const getCampaign = (
  ctx: Context,
  { campaignId }: Input<'getCampaign'>,
): Promise<Json<Output<'getCampaign'>>> =>
  findJson(
    ctx,
    'campaign',
    ctx.sql`
      select ${campaignJson(ctx.sql, stepFields(ctx.sql))}
        from campaigns c
       where c.account_id = s.account_id and c.id = ${campaignId}`,
  )

export async function createCampaign(
  ctx: Context,
  {
    name,
    description,
    repIds,
    settings,
    schedule,
    newProspectsPerDay,
    template,
    ...given
  }: Input<'createCampaign'>,
): Promise<Json<Output<'createCampaign'>>> {
  const campaignId = randomUUIDv7()
  if (template && given.steps.length > 0) throw invalid('template', 'must be absent if `steps` are given')
  const steps = template ? getTemplateSteps(template) : given.steps
  const parsed = await parseSteps(steps, await listCustomKeys(ctx))
  checkSchedule(schedule)
  await checkReps(ctx, repIds)
  await ctx.sql`
    insert into campaigns (account_id, id, name, description, is_evergreen, skip_active_elsewhere,
                           stop_company_on_reply, hold_risky_addresses, auto_winner, schedule, new_prospects_per_day)
    values (${ctx.accountId}, ${campaignId}, ${name}, ${description ?? null}, ${settings.isEvergreen},
            ${settings.skipActiveElsewhere}, ${settings.stopCompanyOnReply}, ${settings.holdRiskyAddresses},
            ${settings.autoWinner ?? null},
            ${schedule ? ctx.sql.json(schedule) : null},
            ${newProspectsPerDay ?? null})`
  await setReps(ctx, campaignId, repIds)
  await writeSteps(ctx, campaignId, parsed, { isDraft: true })
  await audit(ctx, 'create', 'campaign', campaignId)
  return getCampaign(ctx, { campaignId })
}

/** Locks the campaign until the transaction ends. */
export async function lockCampaign(
  ctx: Context,
  campaignId: string,
): Promise<{ status: CampaignStatus; isArchived: boolean }> {
  const [campaign] = await ctx.sql<{ status: CampaignStatus; isArchived: boolean }[]>`
    select status, is_archived as "isArchived"
      from campaigns
     where account_id = ${ctx.accountId} and id = ${campaignId}
       for update`
  if (!campaign) throw notFound('campaign')
  return campaign
}

export function checkSchedule(schedule: Schedule | null | undefined): void {
  if (schedule?.timezone !== undefined && !isTimezone(schedule.timezone))
    throw invalid('schedule.timezone', 'must be an IANA time zone, such as Europe/London')
}

export async function checkReps(ctx: Context, repIds: string[]): Promise<void> {
  const found = await ctx.sql<{ id: string }[]>`
    select id from reps where account_id = ${ctx.accountId} and id = any(${repIds}::uuid[])`
  const known = new Set(found.map(rep => rep.id))
  const wanted = repIds.map(id => id.toLowerCase())
  const errors = wanted.flatMap((id, index): ErrorDetail[] => {
    if (!known.has(id))
      return [{ path: `repIds.${index}`, message: 'must be the ID of a rep in this account' }]
    return wanted.indexOf(id) < index ? [{ path: `repIds.${index}`, message: 'must not be repeated' }] : []
  })
  if (errors.length > 0) throw invalidAll(errors)
}

export async function setReps(ctx: Context, campaignId: string, repIds: string[]): Promise<void> {
  await ctx.sql`delete from campaign_reps where account_id = ${ctx.accountId} and campaign_id = ${campaignId}`
  await ctx.sql`
    insert into campaign_reps (account_id, campaign_id, rep_id, position)
    select ${ctx.accountId}, ${campaignId}, rep.id, rep.position
      from unnest(${repIds}::uuid[]) with ordinality rep(id, position)`
}
