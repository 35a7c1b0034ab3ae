import { createYielder } from '../../kernel/async/yield-to-event-loop.ts'
import type { Context } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { nextStep } from '../campaigns/next-step.ts'
import type { Delay } from '../campaigns/step-delay.ts'
import { matchesFilter, type StepFilter } from '../campaigns/step-filter.ts'
import { type Clock, clockColumns, delayStartsAt, getDueTime, nextOpening } from './due-time.ts'
import { dispatchKey, openStatuses } from './write-prospects.ts'

const CHUNK_SIZE = 2_000

type Waiting = Delay & Clock & { id: string; createdAt: Date; dueAt: Date; delayStartsAt: Date }

/**
 * Recomputes the due times of waiting prospects in launched campaigns from the current steps, schedules and time zones.
 * Waits for locked prospects, because most transactions that lock them don't check the delay again.
 */
export async function rescheduleProspects(ctx: Context, filter: StepFilter): Promise<void> {
  const now = ctx.app.now()
  const yieldToEventLoop = createYielder()
  for (let last: Waiting | undefined, isFirst = true; isFirst || last; isFirst = false) {
    const chunk = await findWaiting(ctx, filter, last)
    const changed: { id: string; newDueAt: Date }[] = []
    for (const each of chunk) {
      await yieldToEventLoop()
      const { id, dueAt } = each
      const newDueAt = getDueTime(each.delayStartsAt, each, each)
      if (dueAt.getTime() !== newDueAt.getTime() && (dueAt > now || newDueAt > now))
        changed.push({ id, newDueAt })
    }
    if (changed.length > 0)
      await ctx.sql`
        update prospects p
           set next_step_at = c.at, updated_at = now()
          from unnest(${changed.map(({ id }) => id)}::uuid[], ${changed.map(({ newDueAt }) => newDueAt.toISOString())}::timestamptz[]) c(id, at)
         where p.account_id = ${ctx.accountId} and p.id = c.id`
    last = chunk.length === CHUNK_SIZE ? chunk.at(-1) : undefined
  }
}

/**
 * Reads the prospects of a campaign in the order of its index, so that each chunk reads only its own rows. Other
 * transactions lock prospects by ID, which is nearly the same order, so deadlocks are rare.
 */
const findWaiting = ({ sql, accountId }: Context, filter: StepFilter, after: Waiting | undefined) => sql<
  Waiting[]
>`
  select r.id, r.created_at as "createdAt", r.next_step_at as "dueAt",
         ${delayStartsAt(sql)} as "delayStartsAt", st.delay_amount as amount, st.delay_unit as unit, ${clockColumns(sql)}
    from prospects r
    join campaigns c on c.account_id = r.account_id and c.id = r.campaign_id
    join persons p on p.account_id = r.account_id and p.id = r.person_id
    join accounts a on a.id = r.account_id
   cross join lateral (${nextStep(sql)}) st
   where r.account_id = ${accountId} and ${matchesFilter(sql, sql`r`, filter)} and r.next_step_at is not null
     and c.status <> 'draft' and (r.status in ${openStatuses(sql)} or r.status = 'paused')
     ${after ? sql`and (r.created_at, r.id) > (${after.createdAt}, ${after.id})` : sql``}
   order by r.created_at, r.id
   limit ${CHUNK_SIZE}
     for update of r`

/**
 * Postpones the due prospects of this prospect's campaign and dispatch key until their window opens, and voids claims
 * on them. Works in bulk, so that a large campaign costs little outside its sending hours.
 */
export async function postponeClosed(tx: Sql, prospectId: string, now: Date): Promise<void> {
  const due = await tx<(Clock & { id: string })[]>`
    select r.id, ${clockColumns(tx)}
      from prospects given
     cross join lateral (
       select *
         from prospects candidate
        where account_id = given.account_id and campaign_id = given.campaign_id
          and ${dispatchKey(tx, tx`candidate`)} = ${dispatchKey(tx, tx`given`)}
          and status in ${openStatuses(tx)} and next_step_at <= ${now}
        order by ${dispatchKey(tx, tx`candidate`)}, next_step_at
        limit ${CHUNK_SIZE}
          for update skip locked) r
      join campaigns c on c.account_id = r.account_id and c.id = r.campaign_id
      join persons p on p.account_id = r.account_id and p.id = r.person_id
      join accounts a on a.id = r.account_id
     where given.account_id = current_account_id() and given.id = ${prospectId}`
  const closed = due.flatMap(each => {
    const { id, awayUntil } = each
    const opening = nextOpening(awayUntil && awayUntil > now ? awayUntil : now, each)
    return opening && opening > now ? { id, opening } : []
  })
  await tx`
    update prospects p
       set next_step_at = c.at, lease_until = null, lease_epoch = p.lease_epoch + 1
      from unnest(${closed.map(({ id }) => id)}::uuid[],
                  ${closed.map(({ opening }) => opening.toISOString())}::timestamptz[]) c(id, at)
     where p.account_id = current_account_id() and p.id = c.id`
}
