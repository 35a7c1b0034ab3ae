import type { Context } from '../../kernel/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { invalidAll } from '../../kernel/errors.ts'
import type { Step, StepIds } from './parse-steps.ts'
import { reviewWinners } from './winners.ts'

/** Builds the JSON of the call settings of step `st`; null unless its channel is `call`. */
export const stepCallJson = (sql: Sql): Fragment => sql`
  case when st.channel = 'call' then json_build_object(
    'assistantId', st.assistant_id,
    'data', st.call_data,
    'onAnswered', st.on_answered,
    'retries', st.retries,
    'retryAfter', json_build_object('amount', st.retry_after_amount, 'unit', st.retry_after_unit)) end`

/** Builds the API's JSON of the steps of campaign `c`. */
export const stepsJson = (sql: Sql): Fragment => sql`
  (select coalesce(json_agg(json_build_object(
            'id', st.id,
            'position', st.position,
            'channel', st.channel,
            'delay', json_build_object('amount', st.delay_amount, 'unit', st.delay_unit),
            'thread', case when st.channel = 'email' then st.thread end,
            'acceptWithinDays', st.accept_within_days,
            'call', ${stepCallJson(sql)},
            'variants', (select coalesce(json_agg(json_build_object(
                                  'id', v.id,
                                  'subject', v.subject,
                                  'body', v.body,
                                  'weight', v.weight) order by v.position), '[]')
                           from campaign_step_variants v
                          where v.account_id = st.account_id and v.step_id = st.id and v.removed_at is null))
            order by st.position), '[]')
     from campaign_steps st
    where st.account_id = c.account_id and st.campaign_id = c.id and st.removed_at is null)`

/** Finds the IDs of a campaign's steps and their variants, in order. */
export const findStepIds = ({ sql, accountId }: Context, campaignId: string): Promise<StepIds[]> =>
  sql<StepIds[]>`
    select st.id, array(select v.id
                          from campaign_step_variants v
                         where v.account_id = st.account_id and v.step_id = st.id and v.removed_at is null
                         order by v.position) as variants
      from campaign_steps st
     where st.account_id = ${accountId} and st.campaign_id = ${campaignId} and st.removed_at is null
     order by st.position`

/**
 * Replaces the campaign's steps; the caller must have locked the campaign. Steps and variants removed after the launch
 * keep their rows, because sent messages refer to them.
 */
export async function writeSteps(
  ctx: Context,
  campaignId: string,
  steps: readonly Step[],
  { isDraft }: { isDraft: boolean },
): Promise<void> {
  await checkAssistants(ctx, steps, isDraft)
  await removeSteps(ctx, campaignId, steps, isDraft)
  await moveRemovedSteps(ctx, campaignId, steps)
  const { sql, accountId } = ctx
  // Moves the old steps out of the way first, because the next statement could otherwise assign a position that is
  // still taken.
  await sql`
    update campaign_steps set position = position + 1000
     where account_id = ${accountId} and campaign_id = ${campaignId} and removed_at is null`
  await sql`
    insert into campaign_steps (account_id, id, campaign_id, position, channel, delay_amount, delay_unit, thread,
                                accept_within_days, assistant_id, call_data, on_answered, retries, retry_after_amount,
                                retry_after_unit)
    select ${accountId}, s.id, ${campaignId}, s.position, s.channel, (s.delay->>'amount')::int, s.delay->>'unit', s.thread,
           s."acceptWithinDays", (s.call->>'assistantId')::uuid, s.call->'data', s.call->>'onAnswered',
           (s.call->>'retries')::int, (s.call->'retryAfter'->>'amount')::int, s.call->'retryAfter'->>'unit'
      from jsonb_to_recordset(${sql.json(steps as never)})
             s(id uuid, position int, channel text, delay jsonb, thread text, "acceptWithinDays" int, call jsonb)
    on conflict (account_id, id) do update
       set position = excluded.position, channel = excluded.channel, delay_amount = excluded.delay_amount,
           delay_unit = excluded.delay_unit, thread = excluded.thread,
           accept_within_days = excluded.accept_within_days, assistant_id = excluded.assistant_id,
           call_data = excluded.call_data, on_answered = excluded.on_answered, retries = excluded.retries,
           retry_after_amount = excluded.retry_after_amount, retry_after_unit = excluded.retry_after_unit,
           updated_at = now()`
  const variants = steps.flatMap(step => step.variants.map(variant => ({ ...variant, stepId: step.id })))
  await sql`
    insert into campaign_step_variants (account_id, id, step_id, position, subject, body, weight)
    select ${accountId}, v.id, v."stepId", v.position, v.subject, v.body, v.weight
      from jsonb_to_recordset(${sql.json(variants)})
             v(id uuid, "stepId" uuid, position int, subject text, body text, weight int)
    on conflict (account_id, id) do update
       set position = excluded.position, subject = excluded.subject, body = excluded.body, weight = excluded.weight,
           updated_at = now()`
  if (!isDraft) await reviewWinners(ctx, campaignId)
}

/** Checks that call steps have an assistant of this account; a draft may have none yet. */
async function checkAssistants(
  { sql, accountId }: Context,
  steps: readonly Step[],
  isDraft: boolean,
): Promise<void> {
  const calling = steps.flatMap(({ call, position }) =>
    call ? [{ path: `steps.${position - 1}.call.assistantId`, id: call.assistantId }] : [],
  )
  if (calling.length === 0) return
  const known = await sql<{ id: string }[]>`
    select id from assistants
     where account_id = ${accountId} and id = any(${calling.flatMap(({ id }) => id ?? [])}::uuid[])`
  const errors = calling.flatMap(({ path, id }) => {
    if (!id) return isDraft ? [] : [{ path, message: 'is required, because the campaign was launched' }]
    const isKnown = known.some(assistant => assistant.id === id.toLowerCase())
    return isKnown ? [] : [{ path, message: 'must be the ID of an assistant in this account' }]
  })
  if (errors.length > 0) throw invalidAll(errors)
}

async function removeSteps(
  { sql, accountId }: Context,
  campaignId: string,
  steps: readonly Step[],
  isDraft: boolean,
): Promise<void> {
  const removedSteps = sql`
    account_id = ${accountId} and campaign_id = ${campaignId} and removed_at is null
      and id <> all(${steps.map(({ id }) => id)}::uuid[])`
  const removedVariants = sql`
    account_id = ${accountId} and removed_at is null
      and step_id in (select id from campaign_steps where account_id = ${accountId} and campaign_id = ${campaignId})
      and id <> all(${steps.flatMap(({ variants }) => variants.map(({ id }) => id))}::uuid[])`
  if (isDraft) {
    await sql`delete from campaign_step_variants where ${removedVariants}`
    await sql`delete from campaign_steps where ${removedSteps}`
  } else {
    await sql`update campaign_step_variants set removed_at = now(), updated_at = now() where ${removedVariants}`
    await sql`update campaign_steps set removed_at = now(), updated_at = now() where ${removedSteps}`
  }
}

/**
 * Repositions removed steps, so that prospects who received a removed step continue as if it still existed: with the
 * first kept step that followed it, never with a step that preceded it. These prospects skip new steps in between,
 * which may replace the removed step.
 */
async function moveRemovedSteps(
  { sql, accountId }: Context,
  campaignId: string,
  steps: readonly Step[],
): Promise<void> {
  const rows = await sql<{ id: string; position: number; isRemoved: boolean }[]>`
    select id, position, removed_at is not null as "isRemoved"
      from campaign_steps
     where account_id = ${accountId} and campaign_id = ${campaignId}`
  const newPositions = new Map(steps.map(({ id, position }) => [id, position]))
  const kept = rows.filter(({ isRemoved }) => !isRemoved)
  const toNewPosition = (oldPosition: number): number => {
    const getNewPositions = (isBefore: boolean) =>
      kept
        .filter(({ position }) => position <= oldPosition === isBefore)
        .map(({ id }) => newPositions.get(id)!)
    const after = getNewPositions(false)
    const last = after.length > 0 ? Math.min(...after) - 1 : Math.min(oldPosition, steps.length)
    return Math.max(0, last, ...getNewPositions(true))
  }
  const moved = rows
    .filter(({ isRemoved }) => isRemoved)
    .map(({ id, position }) => ({ id, position: toNewPosition(position) }))
  await sql`
    update campaign_steps st
       set position = m.position
      from jsonb_to_recordset(${sql.json(moved)}) m(id uuid, position int)
     where st.account_id = ${accountId} and st.id = m.id and st.position <> m.position`
}
