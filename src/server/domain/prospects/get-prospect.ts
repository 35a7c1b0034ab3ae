import type { Input, Output } from '../../../contract/index.ts'
import { type App, type Context, withAccount } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import { Json } from '../../kernel/json.ts'
import { type NewProspectLimit, newProspectLimitColumns } from '../campaigns/new-prospect-limit.ts'
import { nextStep } from '../campaigns/next-step.ts'
import type { StepChannel } from '../campaigns/parse-steps.ts'
import type { Delay } from '../campaigns/step-delay.ts'
import { quotaColumns, type SendQuota } from '../mailboxes/quota.ts'
import { isOptedOut } from '../people/opt-outs/find-opt-outs.ts'
import { type Clock, clockColumns, delayStartsAt, nextOpening } from './due-time.ts'
import { findHold } from './hold.ts'
import { inboxSyncedAt, isInboxStale } from './inbox-freshness.ts'
import { selectInvitation } from './linkedin-connections.ts'
import { prospectJson } from './prospect-json.ts'
import { selectSender, selectTaskRep } from './sender.ts'
import { toHoldFacts } from './task-facts.ts'

type Row = Clock &
  NewProspectLimit &
  SendQuota & {
    hasBegun: boolean
    json: string
    campaignStatus: string
    prospectStatus: string
    isOptedOut: boolean
    isSendingPaused: boolean
    nextStepAt: Date | null
    delayStartsAt: Date
    mailboxId: string | null
    mailboxWaitsUntil: Date | null
    lacksPostalAddress: boolean
    inboxSyncedAt: Date | null
    hasRep: boolean
    isInvited: boolean
    acceptedAt: Date | null
    step: {
      id: string
      position: number
      channel: StepChannel
      acceptWithinDays: number | null
      delay: Delay
    } | null
    inFlight: {
      id: string
      position: number
      dueAt: string
      heldBy: 'being_sent' | 'open_task' | 'open_call'
    } | null
  }

type Next = NonNullable<Output<'getProspect'>['next']>

/** Returns the prospect with its next step, when it is due and why it is held, by the same rules as the engine. */
export async function getProspect(
  ctx: Context,
  { prospectId }: Input<'getProspect'>,
): Promise<Json<Output<'getProspect'>>> {
  const { sql } = ctx
  const now = ctx.app.now()
  // The limits fix the join order, so that no table is read before the account is set.
  const [row] = await sql<Row[]>`
    select found.* from ${withAccount(ctx)} cross join lateral (
      select ${prospectJson(sql)}, c.status as "campaignStatus", r.status as "prospectStatus",
             ${isOptedOut(sql, ctx.app)} as "isOptedOut",
             r.next_step_at as "nextStepAt", ${delayStartsAt(sql)} as "delayStartsAt", sender.mailbox_id as "mailboxId",
             sender.mailbox_waits_until as "mailboxWaitsUntil",
             case when st.id is not null then json_build_object('id', st.id, 'position', st.position,
               'channel', st.channel, 'acceptWithinDays', st.accept_within_days,
               'delay', json_build_object('amount', st.delay_amount, 'unit', st.delay_unit)) end as step,
             (select json_build_object('id', g.id, 'position', g.position,
                                       'dueAt', api_time(in_flight.due_at), 'heldBy', in_flight.held_by)
                from (select step_id, due_at, 'being_sent' as held_by
                        from email_sends
                       where account_id = r.account_id and prospect_id = r.id
                         and state in ('queued', 'claimed', 'dot_pending')
                      union all
                      select step_id, due_at, 'open_task' from tasks
                       where account_id = r.account_id and prospect_id = r.id and status = 'open'
                      union all
                      select step_id, coalesce(placed_at, due_at), 'open_call' from calls
                       where account_id = r.account_id and prospect_id = r.id and step_id is not null
                         and status <> 'ended') in_flight
                join campaign_steps g
                  on g.account_id = r.account_id and g.id = in_flight.step_id and g.removed_at is null
               limit 1) as "inFlight",
             coalesce(sender.rep_id, other.rep_id) is not null as "hasRep",
             invitation.invited_at is not null as "isInvited", invitation.accepted_at as "acceptedAt",
             a.postal_address is null as "lacksPostalAddress", a.sending_paused_at is not null as "isSendingPaused",
             ${inboxSyncedAt(sql)} as "inboxSyncedAt", ${clockColumns(sql)}, ${newProspectLimitColumns(sql)},
             r.began_at is not null as "hasBegun", quota.*
        from (select * from prospects where account_id = s.account_id and id = ${prospectId} limit 1) r
       cross join lateral (select * from campaigns where account_id = r.account_id and id = r.campaign_id limit 1) c
       cross join lateral (select * from persons where account_id = r.account_id and id = r.person_id limit 1) p
       cross join lateral (select * from accounts where id = r.account_id limit 1) a
        left join lateral (${nextStep(sql)}) st on true
        left join lateral (${selectSender(sql, now)}) sender on true
        left join lateral (${selectTaskRep(sql)}) other on true
        left join lateral (${selectInvitation(sql)}) invitation on true
        left join lateral (
          select ${quotaColumns(sql, now)} from mailboxes b
           where b.account_id = r.account_id and b.id = sender.mailbox_id) quota on true) found`
  if (!row) throw notFound('prospect')
  const next = toNext(ctx.app, row)
  return new Json(next ? `${row.json.slice(0, -1)},"next":${JSON.stringify(next)}}` : row.json)
}

function toNext(app: App, row: Row): Next | undefined {
  const now = app.now()
  const { step, inFlight, nextStepAt, prospectStatus } = row
  const isUnfinished = ['pending', 'active', 'out_of_office', 'paused'].includes(prospectStatus)
  if (prospectStatus === 'opted_out' || (row.isOptedOut && isUnfinished)) {
    const { position, id } = inFlight ?? step ?? {}
    return position && id ? { step: position, stepId: id, heldBy: 'do_not_contact' } : undefined
  }
  if (inFlight) {
    const { position, id, dueAt, heldBy } = inFlight
    const pause = findPause(row)
    return { step: position, stepId: id, ...(pause ? { heldBy: pause } : { dueAt, heldBy }) }
  }
  if (!step || !nextStepAt || !isUnfinished) return undefined
  const next = { step: step.position, stepId: step.id }
  const hold = findHold(
    {
      ...row,
      ...toHoldFacts(step, { ...row, invitation: row.isInvited ? row : undefined }),
      mailboxId: row.mailboxId ?? undefined,
      isInboxStale: isInboxStale(app, row.inboxSyncedAt),
      newProspectLimit: row.hasBegun ? undefined : row,
      quota: row,
    },
    now,
  )
  if (hold && !hold.until) return { ...next, heldBy: hold.reason as Next['heldBy'] }
  // The engine doesn't claim the prospect before this time.
  const from = new Date(Math.max(nextStepAt.getTime(), hold?.until?.getTime() ?? 0))
  const dueAt = (from > now ? nextOpening(from, row) : from)?.toISOString()
  const heldBy = (hold?.reason ?? (nextStepAt > now ? 'retry' : undefined)) as Next['heldBy']
  return { ...next, ...(dueAt && { dueAt }), ...(heldBy && { heldBy }) }
}

/** Returns the pause that holds the step in flight. Tasks are not held by a pause of all sending. */
function findPause({ prospectStatus, isSendingPaused, campaignStatus, inFlight }: Row) {
  if (prospectStatus === 'paused') return 'prospect_paused'
  if (isSendingPaused && inFlight?.heldBy !== 'open_task') return 'sending_paused'
  return campaignStatus === 'paused' ? 'campaign_paused' : undefined
}
