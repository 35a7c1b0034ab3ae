import { type Begun, beginDue, MAX_UNDER_WAY, planDue } from '../../../src/server/engine/dispatch.ts'
import type { SmtpPools } from '../../../src/server/engine/send/smtp-pools.ts'
import type { App } from '../../../src/server/kernel/context.ts'

/** What an engine does of what is due now: when it returns all is planned, and sends and calls are begun. */
export async function tick(app: App, pools: SmtpPools, room: number = MAX_UNDER_WAY): Promise<Begun[]> {
  const begun: Begun[] = []
  const { done } = await planDue(app, { pools, room, keep: work => begun.push(work) })
  await done
  return [...begun, ...(await beginDue(app, pools, room - begun.length))]
}

/** What one look finds is planned, and waits in the queue; tells how many it found. */
export async function planOneLook(app: App): Promise<number> {
  const { found, done } = await planDue(app)
  await done
  return found
}
