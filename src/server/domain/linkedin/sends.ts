import { currentAccount, type Sql } from '../../kernel/db/database.ts'
import { isSendingPaused } from '../accounts/sending.ts'
import { matchesFilter, type StepFilter } from '../campaigns/step-filter.ts'
import { CAP_REACHED } from '../tasks/tasks.ts'

/** Invitation caps per member, well below LinkedIn’s reported limits. */
const INVITATION_CAPS = [
  { max: 25, withinMs: 24 * 3_600_000 },
  { max: 100, withinMs: 7 * 24 * 3_600_000 },
]
const MAX_WINDOW_MS = Math.max(...INVITATION_CAPS.map(({ withinMs }) => withinMs))
export const DISCONNECTED = "the rep's LinkedIn account was disconnected"
/** The reason why a send waits for the gap after the rep’s previous send. */
const TOO_SOON = 'too soon after the previous one'
/**
 * Minimum gap between two sends of a rep. The actual gap is up to twice as long, so that sends don’t look automated.
 */
const MIN_GAP_MS = 120_000
/** Must be longer than the provider timeout. */
const LEASE_MS = 90_000

/** A claim on one send. A worker with an older epoch has lost the claim and stops. */
export type ClaimedLinkedinSend = {
  accountId: string
  taskId: string
  epoch: bigint
  attempts: number
  /** True when the previous worker died after it had recorded the request: the provider may have received it. */
  isLost: boolean
}

/**
 * Queues the tasks that a provider can do for their reps. Drafts are due immediately; campaign steps are due after the
 * sends that are already queued, with uneven gaps.
 */
export const queueLinkedinSends = (tx: Sql, taskIds: readonly string[], now: Date) => tx`
  insert into linkedin_sends as e (account_id, task_id, linkedin_account_id, kind, due_at)
  select t.account_id, t.id, l.id, case t.channel when 'linkedin_connect' then 'invitation' else 'message' end,
         case when t.step_id is null then ${now}::timestamptz
              else greatest(${now}::timestamptz, last.due_at)
                   + sum(1 + random()) over (partition by l.id order by t.id)
                     * ${MIN_GAP_MS} * interval '1 millisecond' end
    from tasks t
    join persons p on p.account_id = t.account_id and p.id = t.person_id and p.linkedin_url is not null
    join linkedin_accounts l on l.account_id = t.account_id and l.rep_id = t.rep_id and l.provider = 'unipile'
    left join lateral (select max(due_at) as due_at
                         from linkedin_sends
                        where account_id = l.account_id and linkedin_account_id = l.id and state = 'queued'
                          and response is null) last on true
   where t.account_id = ${currentAccount(tx)} and t.id = any(${[...taskIds]}::uuid[]) and t.status = 'open'
     and (t.channel = 'linkedin_connect' or t.channel = 'linkedin_message' and t.text is not null)
  on conflict (account_id, task_id) do update
     set linkedin_account_id = excluded.linkedin_account_id, kind = excluded.kind, state = 'queued',
         due_at = excluded.due_at, attempts = 0, response = null, updated_at = now()
   where e.state = 'refused'`

/** Claims due sends of all accounts, including those that a lost worker had claimed. Requires the engine’s role. */
export const claimLinkedinSends = (
  engine: Sql,
  { now, limit }: { now: Date; limit: number },
): Promise<ClaimedLinkedinSend[]> => engine<ClaimedLinkedinSend[]>`
  update linkedin_sends e
     set state = 'claimed', epoch = e.epoch + 1, attempts = e.attempts + 1, due_at = ${new Date(now.getTime() + LEASE_MS)}
    from (select account_id, task_id
            from linkedin_sends q
           where state in ('queued', 'claimed') and due_at <= ${now}
             and not (state = 'queued' and ${isSendingPaused(engine, engine`q`)})
           order by due_at
           limit ${limit}
             for update skip locked) due
   where e.account_id = due.account_id and e.task_id = due.task_id
  returning e.account_id as "accountId", e.task_id as "taskId", e.epoch, e.attempts,
            -- A request is recorded before it is made; postponements and refusals clear the record.
            e.requested_at is not null as "isLost"`

type Claim = Pick<ClaimedLinkedinSend, 'taskId' | 'epoch'>

/** Locks the send; returns false when the claim is lost. */
export async function lockLinkedinSend(tx: Sql, { taskId, epoch }: Claim): Promise<boolean> {
  const held = await tx`
    select from linkedin_sends
     where account_id = ${currentAccount(tx)} and task_id = ${taskId} and epoch = ${epoch} and state = 'claimed'
       for update`
  return held.count === 1
}

/**
 * Cancels an account’s queued sends and returns their tasks. Returns undefined and cancels nothing while one is in
 * flight.
 */
export async function withdrawLinkedinSends(
  tx: Sql,
  linkedinAccountId: string,
): Promise<string[] | undefined> {
  const sends = await tx<{ taskId: string; state: string }[]>`
    select task_id as "taskId", state
      from linkedin_sends
     where account_id = ${currentAccount(tx)} and linkedin_account_id = ${linkedinAccountId}
       and state in ('queued', 'claimed')
     order by task_id
       for update`
  if (sends.some(({ state }) => state === 'claimed')) return undefined
  const taskIds = sends.map(({ taskId }) => taskId)
  await tx`
    update linkedin_sends
       set state = 'refused', response = ${DISCONNECTED}, updated_at = now()
     where account_id = ${currentAccount(tx)} and task_id = any(${taskIds}::uuid[])`
  return taskIds
}

/** Moves a rep’s past invitations to their new account: LinkedIn’s limits apply to the member, not the connection. */
export const adoptLinkedinSends = (tx: Sql, { id, repId }: { id: string; repId: string }, now: Date) => tx`
  update linkedin_sends e
     set linkedin_account_id = ${id}
    from tasks t
   where e.account_id = ${currentAccount(tx)} and e.linkedin_account_id is null and e.kind = 'invitation'
     and e.requested_at > ${new Date(now.getTime() - MAX_WINDOW_MS)}
     and t.account_id = e.account_id and t.id = e.task_id and t.rep_id = ${repId}`

/**
 * Returns the time from which a due step may be sent without making the rep look automated; undefined when it may be
 * sent now. Locks the account.
 */
export async function findPacingDelay(
  tx: Sql,
  { linkedinAccountId, isInvitation }: { linkedinAccountId: string; isInvitation: boolean },
  now: Date,
): Promise<{ dueAt: Date; reason: string } | undefined> {
  await tx`
    select from linkedin_accounts where account_id = ${currentAccount(tx)} and id = ${linkedinAccountId} for no key update`
  const capResetsAt = isInvitation ? await nextInvitationAt(tx, linkedinAccountId, now) : undefined
  if (capResetsAt) return { dueAt: capResetsAt, reason: CAP_REACHED }
  const [last] = await tx<{ at: Date }[]>`
    select requested_at as at
      from linkedin_sends
     where account_id = ${currentAccount(tx)} and linkedin_account_id = ${linkedinAccountId}
       and kind in ('invitation', 'message') and requested_at > ${new Date(now.getTime() - MIN_GAP_MS)}
     order by requested_at desc
     limit 1`
  return last && { dueAt: new Date(last.at.getTime() + MIN_GAP_MS * (1 + Math.random())), reason: TOO_SOON }
}

/** Returns the time from which the daily and weekly caps allow an invitation; undefined when they allow it now. */
async function nextInvitationAt(tx: Sql, linkedinAccountId: string, now: Date): Promise<Date | undefined> {
  const waits: Date[] = []
  for (const { max, withinMs } of INVITATION_CAPS) {
    const [oldest] = await tx<{ at: Date }[]>`
      select requested_at as at
        from linkedin_sends
       where account_id = ${currentAccount(tx)} and linkedin_account_id = ${linkedinAccountId} and kind = 'invitation'
         and requested_at > ${new Date(now.getTime() - withinMs)}
       order by requested_at desc
      offset ${max - 1}
       limit 1`
    if (oldest) waits.push(new Date(oldest.at.getTime() + withinMs))
  }
  return waits.sort((a, b) => b.getTime() - a.getTime())[0]
}

/** Records the attempt. Committed before the provider is contacted. */
export const markRequested = (tx: Sql, taskId: string, now: Date) => tx`
  update linkedin_sends set requested_at = ${now}, updated_at = now()
   where account_id = ${currentAccount(tx)} and task_id = ${taskId}`

/** Requeues a send that was not made. Waiting for a gap, a pause or a working account does not count as an attempt. */
export const postponeLinkedinSend = (
  tx: Sql,
  taskId: string,
  { dueAt, reason, isAttempt }: { dueAt: Date; reason: string; isAttempt: boolean },
) => tx`
  update linkedin_sends
     set state = 'queued', due_at = ${dueAt}, attempts = attempts - ${isAttempt ? 0 : 1}, requested_at = null,
         response = ${reason}, updated_at = now()
   where account_id = ${currentAccount(tx)} and task_id = ${taskId}`

/**
 * Makes the queued sends of steps due if they were waiting for the schedule. Call this when the schedule or a time zone
 * changed.
 */
export const expediteLinkedinSends = (tx: Sql, filter: StepFilter, now: Date) => tx`
  update linkedin_sends e
     set due_at = ${now}, response = null, updated_at = now()
    from tasks t
   where e.account_id = ${currentAccount(tx)} and e.state = 'queued' and e.response in ('window', 'schedule_over')
     and t.account_id = e.account_id and t.id = e.task_id and t.status = 'open'
     and ${matchesFilter(tx, tx`t`, filter)}`

export const endLinkedinSend = (
  tx: Sql,
  taskId: string,
  state: 'sent' | 'refused' | 'unconfirmed',
  response: string,
) => tx`
  update linkedin_sends
     set state = ${state}, response = ${response}, updated_at = now(),
         requested_at = case when ${state} <> 'refused' then requested_at end
   where account_id = ${currentAccount(tx)} and task_id = ${taskId}`
