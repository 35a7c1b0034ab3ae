/**
 * The places at which a process may die and lose or repeat a message, by name. Tests stop, delay or kill a process
 * right there. No setting turns one on: only code that calls `turnOnFailpoints` can, and the product has none.
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
  'gate.asked',
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
  'lost.found',
  'lease.renewing',
  'opt_out.stored',
  'opt_out.committed',
  'opt_out.looked',
  'webhook.claimed',
  'webhook.answered',
  'webhook.recorded',
  'reply.claimed',
  'reply.answered',
  'reply.recorded',
  'reply.leaving',
  'call.claimed',
  'call.intended',
  'call.allowed',
  'call.placed',
  'call.recorded',
  'call.ended',
  'linkedin.marked',
] as const
export type Failpoint = (typeof failpoints)[number]

/** `exit` is kill -9 by itself, `stop` a freeze until somebody sends SIGCONT. */
export type Failure = { do: 'exit' } | { do: 'stop' } | { do: 'throw' } | { do: 'pause'; ms: number }

/** `key` says whose work it is: an id, or the address of a server. */
export type ChooseFailure = (name: Failpoint, key: string) => Failure | undefined

let choose: ChooseFailure | undefined

export function turnOnFailpoints(given: ChooseFailure | undefined): void {
  choose = given
}

/** Awaited where it stands. Off, which is always but in tests, it costs one comparison. */
export const failpoint = (name: Failpoint, key = ''): Promise<void> | undefined =>
  choose && fail(name, choose(name, key))

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
  }
}
