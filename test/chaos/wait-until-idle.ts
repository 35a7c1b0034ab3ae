import { setTimeout as sleep } from 'node:timers/promises'
import type { TestApp } from '../support/app.ts'

/** The real clock plus an offset that can be increased. */
export type Clock = { now: () => Date; advance: (ms: number) => void }

export function openClock(): Clock {
  let offsetMs = 0
  return {
    now: () => new Date(Date.now() + offsetMs),
    advance: ms => {
      offsetMs += Math.ceil(ms)
    },
  }
}

const POLL_MS = 100
/**
 * Polls without progress before the clock moves, enough for running work to show progress. With a smaller value, the
 * clock would move earlier, which is an equally valid test.
 */
const IDLE_POLLS = 5
/**
 * Extra wait between polls, in multiples of the last query's duration, so that a slow database is polled less often.
 */
const POLL_FACTOR = 10
/** Without progress for this long, the test fails and reports pending work. */
const STALL_TIMEOUT_MS = 240_000
/** Moves the clock past several retries at once, because their times are spread. */
const EXTRA_ADVANCE_MS = 120_000

/**
 * Waits until these accounts have no work left. When all work is scheduled for later (a retry, or the end of a dead
 * worker's lease), moves the clock there, but not while the test holds emails.
 */
export async function waitUntilIdle(
  app: TestApp,
  accountIds: string[],
  clock: Clock,
  held?: { isHolding: boolean },
): Promise<void> {
  let movedAt = performance.now()
  for (let [lastTrace, idle, tookMs] = ['', 0, 0]; ; await sleep(POLL_MS + tookMs * POLL_FACTOR)) {
    const queriedAt = performance.now()
    const work = await findWork(app, accountIds, clock.now())
    tookMs = performance.now() - queriedAt
    if (!work.hasWork) return
    idle = work.trace === lastTrace && !held?.isHolding ? idle + 1 : 0
    if (idle === 0) movedAt = queriedAt
    else if (queriedAt - movedAt > STALL_TIMEOUT_MS) throw await createStallError(app, accountIds)
    lastTrace = work.trace
    if ((work.isBusy && idle < IDLE_POLLS) || !work.nextAt) continue
    clock.advance(work.nextAt.getTime() - clock.now().getTime() + EXTRA_ADVANCE_MS)
    idle = 0
  }
}

/**
 * Returns whether work is left, whether any is due or claimed, a string that changes with progress, and the next due
 * time.
 */
async function findWork({ owner }: TestApp, accountIds: string[], now: Date) {
  const [work] = await owner<{ hasWork: boolean; isBusy: boolean; trace: string; nextAt: Date | null }[]>`
    with sends as (select state, due_at, epoch from email_sends where account_id = any(${accountIds})),
         prospects as (select next_step_at, lease_until, lease_epoch from prospects
                        where account_id = any(${accountIds}) and next_step_at is not null)
    select exists (select from campaigns where account_id = any(${accountIds}) and status = 'active')
             or exists (select from sends where state in ('queued', 'claimed', 'dot_pending')) as "hasWork",
           exists (select from sends where state in ('claimed', 'dot_pending') or (state = 'queued' and due_at <= ${now}))
             or exists (select from prospects where lease_until > ${now} or next_step_at <= ${now}) as "isBusy",
           concat((select jsonb_object_agg(state, n) from (select state, count(*) n from sends group by state) s),
                  (select sum(epoch) from sends), (select concat(count(*), ' ', sum(lease_epoch)) from prospects)) as trace,
           least((select min(due_at) from sends where state in ('queued', 'claimed', 'dot_pending') and due_at > ${now}),
                 (select min(greatest(next_step_at, lease_until)) from prospects
                   where greatest(next_step_at, lease_until) > ${now})) as "nextAt"`
  return work!
}

/** Returns an error that lists unfinished sends and active database sessions. */
async function createStallError({ owner }: TestApp, accountIds: string[]): Promise<Error> {
  const sends = await owner`
    select state, due_at, epoch::text, attempts, response from email_sends
     where account_id = any(${accountIds}) and state in ('queued', 'claimed', 'dot_pending') limit 10`
  const sessions = await owner`
    select state, wait_event, (clock_timestamp() - xact_start)::text as age, pg_blocking_pids(pid) as "waitsFor",
           left(query, 200) as query
      from pg_stat_activity where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`
  return new Error(`No progress: ${JSON.stringify({ sends, sessions }, null, 2)}`)
}
