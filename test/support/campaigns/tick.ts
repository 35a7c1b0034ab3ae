import { dispatchDue, type Job, MAX_IN_FLIGHT, planDue } from '../../../src/server/engine/dispatch.ts'
import type { SmtpPools } from '../../../src/server/engine/send/smtp-pools.ts'
import type { App } from '../../../src/server/kernel/context.ts'

/** Runs one tick of both engine loops. Resolves once all due work is planned and its jobs have started. */
export async function tick(app: App, pools: SmtpPools, capacity: number = MAX_IN_FLIGHT): Promise<Job[]> {
  const jobs: Job[] = []
  const { done } = await planDue(app, { pools, capacity, track: job => jobs.push(job) })
  await done
  return [...jobs, ...(await dispatchDue(app, pools, capacity - jobs.length))]
}

/** Plans the due prospects of one claim without sending their emails. Returns the number of prospects. */
export async function planOnce(app: App): Promise<number> {
  const { found, done } = await planDue(app)
  await done
  return found
}
