import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import { invalid } from '../../kernel/errors.ts'
import { findJson, type Json } from '../../kernel/json.ts'
import { isTimezone } from '../../protocols/identity/timezone.ts'
import { audit } from './audit-log.ts'
import { selectMember } from './select-member.ts'

export const getAccount = (
  ctx: Context,
  _input: Input<'getAccount'> = {},
): Promise<Json<Output<'getAccount'>>> =>
  findJson(
    ctx,
    'account',
    ctx.sql`
      select json_strip_nulls(json_build_object(
               'id', a.id,
               'objectType', 'account',
               'createdAt', api_time(a.created_at),
               'updatedAt', api_time(a.updated_at),
               'name', a.name,
               'defaultCountry', a.default_country,
               'timezone', a.timezone,
               'postalAddress', a.postal_address,
               'optOutLine', a.opt_out_line,
               'replyPauses', a.reply_pauses,
               'unsubscribeWords', a.unsubscribe_words,
               'assistantsMayRequestCalls', a.assistants_may_request_calls,
               'assistantSendsNeedApproval', a.assistant_sends_need_approval,
               'maxBouncePercent', a.max_bounce_percent,
               'maxComplaintPercent', a.max_complaint_percent,
               'maxAttachmentMegabytes', a.max_attachment_megabytes,
               'sendingPausedAt', api_time(a.sending_paused_at),
               'sendingPauseReason', a.sending_pause_reason,
               'sendingPausedBy', ${ctx.sql.unsafe(selectMember('name', 'a.id', 'a.sending_paused_by_user_id'))}))::text as json
        from accounts a
       where a.id = s.account_id`,
  )

/** Updates the account. `reschedule` applies a changed time zone to the account's campaigns. */
export async function updateAccount(
  ctx: Context,
  { name, defaultCountry, timezone, postalAddress, optOutLine, ...settings }: Input<'updateAccount'>,
  reschedule: (ctx: Context) => Promise<void>,
): Promise<Json<Output<'updateAccount'>>> {
  if (timezone && !isTimezone(timezone)) {
    throw invalid('timezone', 'must be an IANA time zone, such as Europe/London')
  }
  const { sql } = ctx
  const [old] = timezone
    ? await sql<{ timezone: string }[]>`
        select timezone from accounts where id = ${ctx.accountId} for no key update`
    : []
  // An undefined field stays unchanged; null clears it.
  await sql`
    update accounts
       set name            = coalesce(${name ?? null}, name),
           default_country = ${defaultCountry === undefined ? sql`default_country` : defaultCountry},
           timezone        = coalesce(${timezone ?? null}, timezone),
           postal_address  = ${postalAddress === undefined ? sql`postal_address` : postalAddress},
           opt_out_line    = ${optOutLine === undefined ? sql`opt_out_line` : optOutLine},
           reply_pauses    = coalesce(${settings.replyPauses ?? null}, reply_pauses),
           unsubscribe_words = coalesce(${settings.unsubscribeWords ?? null}, unsubscribe_words),
           assistants_may_request_calls =
             coalesce(${settings.assistantsMayRequestCalls ?? null}, assistants_may_request_calls),
           assistant_sends_need_approval =
             coalesce(${settings.assistantSendsNeedApproval ?? null}, assistant_sends_need_approval),
           max_bounce_percent = coalesce(${settings.maxBouncePercent ?? null}, max_bounce_percent),
           max_complaint_percent = coalesce(${settings.maxComplaintPercent ?? null}, max_complaint_percent),
           max_attachment_megabytes =
             coalesce(${settings.maxAttachmentMegabytes ?? null}, max_attachment_megabytes),
           updated_at      = now()
     where id = ${ctx.accountId}`
  if (old && timezone !== old.timezone) await reschedule(ctx)
  await audit(ctx, 'update', 'account', ctx.accountId)
  return getAccount(ctx)
}
