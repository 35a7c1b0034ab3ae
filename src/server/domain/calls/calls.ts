import type { Input, Output } from '../../../contract/index.ts'
import { type Config, getPublicUrl } from '../../kernel/config.ts'
import { authorize, type Context, ownRepsOnly } from '../../kernel/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { findJson, type Json, verbatimField } from '../../kernel/json.ts'
import { afterCursor, isUpdatedSince, listPage, orderAndLimit } from '../../kernel/page.ts'

/** Builds the API's JSON of call `c`, without the provider’s own recording URL. */
export const callJson = (sql: Sql, config: Config): Fragment => sql`
  (json_strip_nulls(json_build_object(
    'id', c.id,
    'objectType', 'call',
    'createdAt', api_time(c.created_at),
    'updatedAt', api_time(c.updated_at),
    'from', c.from_number,
    'to', c.to_number,
    'callType', c.call_type,
    'duration', c.duration_seconds,
    'summary', c.summary,
    'startedAt', api_time(c.started_at),
    'endedAt', api_time(c.ended_at),
    'prospectId', c.prospect_id,
    'personId', c.person_id,
    'repId', c.rep_id,
    'campaignId', c.campaign_id,
    'stepId', c.step_id,
    'attempt', c.attempt,
    'personName', c.person_name,
    'status', c.status,
    'outcome', c.outcome,
    'outcomeReason', c.outcome_reason,
    'outcomeAdvice', c.outcome_advice,
    'transcript', c.transcript,
    'recordingUrl', case when c.recording_url is not null
                         then ${getPublicUrl(config)}::text || '/v1/calls/' || c.id || '/recording' end,
    'cost', case when c.cost_amount is not null
                 then json_build_object('amount', c.cost_amount, 'currency', c.cost_currency) end,
    'endReason', c.end_reason,
    'assistantId', c.assistant_id,
    'notBefore', case when c.status = 'queued' then api_time(c.not_before) end,
    'heldBy', case when c.status = 'queued' then c.held_by end))::jsonb
   || ${verbatimField(sql, 'extractedData', sql`c.extracted_data`)} || ${verbatimField(sql, 'data', sql`c.data`)})::text as json`

export const listCalls = (ctx: Context, input: Input<'listCalls'>): Promise<Json<Output<'listCalls'>>> =>
  listPage(ctx, 'listCalls', input, page => {
    const { sql } = ctx
    const { prospectId, personId, assistantId, repId, status, outcome, since, until, updatedSince } =
      page.filters
    const timeColumn = updatedSince ? 'c.updated_at' : 'c.created_at'
    const order = orderAndLimit(sql, page, timeColumn, 'c.id')
    const isByOwnReps = !prospectId && !personId && authorize(ctx, 'Call.ReadCall') === 'own'
    const calls = sql`
      select c.*
        from calls c
       where c.account_id = s.account_id
         ${prospectId ? sql`and c.prospect_id = ${prospectId}` : sql``}
         ${personId ? sql`and c.person_id = ${personId}` : sql``}
         ${isByOwnReps ? sql`` : ownRepsOnly(ctx, 'Call.ReadCall', sql`c.rep_id`)}
         ${isByOwnReps ? sql`and c.rep_id = r.id` : repId ? sql`and c.rep_id = (select ${repId}::uuid)` : sql``}
         ${assistantId ? sql`and c.assistant_id = ${assistantId}` : sql``}
         ${outcome ? sql`and c.outcome = ${outcome}` : status ? sql`and c.status = ${status}` : sql``}
         ${since ? sql`and c.created_at >= ${since}::timestamptz` : sql``}
         ${until ? sql`and c.created_at < ${until}::timestamptz` : sql``}
         ${isUpdatedSince(sql, page, timeColumn)}
         ${afterCursor(sql, page, timeColumn, 'c.id')}
         ${order}`
    // Merges the calls of the member's own reps. An assistant calls for one rep only, so the join excludes other reps'
    // assistants before their calls are read.
    const callsOfOwnReps = sql`
      select c.*
        from reps r
             ${assistantId ? sql`join assistants a on a.account_id = r.account_id and a.rep_id = r.id and a.id = ${assistantId}` : sql``}
       cross join lateral (${calls}) c
       where r.account_id = s.account_id and r.owned_by_id = ${ctx.userId} ${repId ? sql`and r.id = ${repId}` : sql``}
       ${order}`
    return sql`
      select c.id, api_time(${sql.identifier(timeColumn)}) as at, ${callJson(sql, ctx.app.config)}
        from (${isByOwnReps ? callsOfOwnReps : calls}) c
       ${order}`
  })

export const getCall = (ctx: Context, { callId }: Input<'getCall'>): Promise<Json<Output<'getCall'>>> =>
  findJson(
    ctx,
    'call',
    ctx.sql`
      select ${callJson(ctx.sql, ctx.app.config)}
        from calls c
       where c.account_id = s.account_id and c.id = ${callId}
         ${ownRepsOnly(ctx, 'Call.ReadCall', ctx.sql`c.rep_id`)}`,
  )
