import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { failpoint } from '../../kernel/failpoints.ts'
import type { Json } from '../../kernel/json.ts'
import { withInFlight } from '../../kernel/with-in-flight.ts'
import { getAccount } from './account.ts'
import { type Author, audit } from './audit-log.ts'

/** Returns a condition that is true while the account of `row` has paused all sending. */
export const isSendingPaused = (sql: Sql, row: Fragment): Fragment => sql`
  exists (select from accounts a where a.id = ${row}.account_id and a.sending_paused_at is not null)`

/** Pauses all sending. `countInFlight` counts the messages and calls that can no longer be recalled. */
export async function pauseSending(
  ctx: Context,
  { reason }: Input<'pauseSending'>,
  countInFlight: (ctx: Context, scope: 'all') => Promise<number>,
): Promise<Output<'pauseSending'>> {
  await storeSendingPause(ctx, reason)
  await failpoint('sending_pause.stored')
  const account = JSON.parse((await getAccount(ctx)).text) as Output<'getAccount'>
  return withInFlight(ctx, account, async () => {
    await failpoint('sending_pause.committed')
    return countInFlight(ctx, 'all')
  })
}

/** Stores a pause of all sending, unless sending is already paused. */
export async function storeSendingPause(
  ctx: Author & Pick<Context, 'app' | 'sql' | 'accountId'>,
  reason?: string,
): Promise<void> {
  const { count } = await ctx.sql`
    update accounts
       set sending_paused_at = ${ctx.app.now()}, sending_pause_reason = ${reason ?? null},
           sending_paused_by = ${ctx.actor},
           sending_paused_by_user_id = ${ctx.userId ?? null}, updated_at = now()
     where id = ${ctx.accountId} and sending_paused_at is null`
  if (count > 0) await audit(ctx, 'pause sending', 'account', ctx.accountId)
}

/**
 * Resumes all sending. `forbidAppResumedCalls` throws if an application would start calls by resuming; this check is
 * skipped if the caller started the pause.
 */
export async function resumeSending(
  ctx: Context,
  _input: Input<'resumeSending'>,
  forbidAppResumedCalls: (ctx: Context) => Promise<void>,
): Promise<Json<Output<'resumeSending'>>> {
  const [ownPause] = await ctx.sql`
    select from accounts
     where id = ${ctx.accountId} and sending_paused_by = ${ctx.actor}
       and sending_paused_by_user_id = ${ctx.userId ?? null}
       for update`
  if (!ownPause) await forbidAppResumedCalls(ctx)
  const { count } = await ctx.sql`
    update accounts
       set sending_paused_at = null, sending_pause_reason = null, sending_paused_by = null,
           sending_paused_by_user_id = null, updated_at = now()
     where id = ${ctx.accountId} and sending_paused_at is not null`
  if (count > 0) await audit(ctx, 'resume sending', 'account', ctx.accountId)
  return getAccount(ctx)
}
