/**
 * The points at which a crash could lose or repeat a message. Tests make a process fail there. No setting can
 * turn failpoints on: only `setFailpoints` does, and the product never calls it.
 */
export const failpoints = [
  'tick.began',
  'tick.prospects_claimed',
  'tick.sends_claimed',
  'plan.began',
  'plan.written',
  'plan.committed',
  'send.claimed',
  'send.read',
  'send.composed',
  'smtp.admitted',
  'smtp.connecting',
  'smtp.connected',
  'smtp.envelope',
  'smtp.streamed',
  'smtp.flushed',
  'gate.entered',
  'gate.marked',
  'gate.committed',
  'gate.facts_read',
  'gate.list_read',
  'smtp.allowed',
  'smtp.released',
  'smtp.answered',
  'record.began',
  'record.written',
  'record.committed',
  'send.ended',
  'lost_send.claimed',
  'lease.renewing',
  'opt_out.stored',
  'opt_out.committed',
  'opt_out.counted',
  'sending_pause.stored',
  'sending_pause.committed',
  'webhook.claimed',
  'webhook.answered',
  'webhook.recorded',
  'reply.claimed',
  'reply.answered',
  'reply.recorded',
  'reply.sending',
  'call.claimed',
  'call.intended',
  'call.allowed',
  'call.placed',
  'call.recorded',
  'call.ended',
  'linkedin.marked',
  'notification.stored',
  'notification.claimed',
  'notification.sending',
  'notification.answered',
] as const
export type Failpoint = (typeof failpoints)[number]

/** `exit` kills the process with SIGKILL; `stop` freezes it until it receives SIGCONT. */
export type Failure =
  | { do: 'exit' }
  | { do: 'stop' }
  | { do: 'throw' }
  | { do: 'pause'; ms: number }
  | { do: 'wait'; until: Promise<unknown> }

/** Chooses the failure at a point, if any. `key` identifies the work: an ID, or the address of a server. */
export type FailpointHook = (name: Failpoint, key: string) => Failure | undefined

let hook: FailpointHook | undefined

/** Turns failpoints on with a hook, or off with undefined. */
export function setFailpoints(newHook: FailpointHook | undefined): void {
  hook = newHook
}

/** Performs the failure that the hook chooses. Costs one comparison while failpoints are off. */
export const failpoint = (name: Failpoint, key = ''): Promise<void> | undefined =>
  hook && fail(name, hook(name, key))

/** Runs the failpoint once for each send, with its mailbox as the key. */
export async function failpointForEach(
  name: Failpoint,
  sends: readonly { claim: { mailboxId: string } }[],
): Promise<void> {
  for (const { claim } of sends) await failpoint(name, claim.mailboxId)
}

async function fail(name: Failpoint, failure: Failure | undefined): Promise<void> {
  switch (failure?.do) {
    case 'exit':
      process.kill(process.pid, 'SIGKILL')
      return
    case 'stop':
      process.kill(process.pid, 'SIGSTOP')
      return
    case 'throw':
      throw new Error(`failpoint ${name}`)
    case 'pause':
      await new Promise(resolve => setTimeout(resolve, failure.ms))
      return
    case 'wait':
      await failure.until
  }
}
