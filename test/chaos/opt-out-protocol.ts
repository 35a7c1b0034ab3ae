/**
 * A model of the opt-out protocol between senders and opt-outs. Each side is a list of atomic steps, and steps
 * interleave in any order. All senders and opt-outs concern the same person.
 */
export type Protocol = { sender: readonly SenderStep[]; optOut: readonly OptOutStep[] }
/**
 * A step of a sender: `look` reads the list and gives up when the person is on it. `dot` sends the email. `end` records
 * the result.
 */
export type SenderStep = 'mark' | 'look' | 'dot' | 'end'
/** A step of an opt-out: `look` reads which emails are marked. `wait` continues once they have ended or timed out. */
export type OptOutStep = 'store' | 'look' | 'wait' | 'answer'

/** The protocol as implemented in gate.ts and opt-outs.ts. */
export const protocol: Protocol = {
  sender: ['mark', 'look', 'dot', 'end'],
  optOut: ['store', 'look', 'wait', 'answer'],
}

type Mark = 'none' | 'dot_pending' | 'sent' | 'refused'
type State = {
  isListed: boolean
  senders: { at: number; mark: Mark; isAllowed: boolean }[]
  optOuts: { at: number; seen: number[]; reported: number[] }[]
}

export type Exploration = {
  states: number
  /** States in which an email was sent after an acknowledged opt-out that didn't report it as in flight. */
  late: number
  /** Final states in which some email was sent, and in which none was. */
  ends: { sent: number; kept: number }
}

/** Explores every state that any order of steps can reach. */
export function explore(
  { sender, optOut }: Protocol,
  { senders, optOuts }: { senders: number; optOuts: number },
): Exploration {
  const first: State = {
    isListed: false,
    senders: Array.from({ length: senders }, () => ({ at: 0, mark: 'none', isAllowed: true })),
    optOuts: Array.from({ length: optOuts }, () => ({ at: 0, seen: [], reported: [] })),
  }
  const known = new Set([JSON.stringify(first)])
  const late = new Set<string>()
  const ends = { sent: 0, kept: 0 }
  const open = [first]
  for (let state = open.pop(); state; state = open.pop()) {
    const next = [
      ...state.senders.flatMap((_, n) => advanceSender(state, n, sender)),
      ...state.optOuts.flatMap((_, n) => advanceOptOut(state, n, optOut)),
    ]
    if (next.length === 0) ends[state.senders.some(({ mark }) => mark === 'sent') ? 'sent' : 'kept'] += 1
    for (const { state: reached, dotSender } of next) {
      const key = JSON.stringify(reached)
      const isReported = reached.optOuts.every(
        ({ at, reported }) => at < optOut.length || reported.includes(dotSender!),
      )
      if (dotSender !== undefined && !isReported) late.add(key)
      if (known.has(key)) continue
      known.add(key)
      open.push(reached)
    }
  }
  return { states: known.size, late: late.size, ends }
}

type Reached = { state: State; dotSender?: number | undefined }

function advanceSender(state: State, n: number, steps: readonly SenderStep[]): Reached[] {
  const step = steps[state.senders[n]!.at]
  if (!step) return []
  const next = structuredClone(state)
  const me = next.senders[n]!
  me.at += 1
  if (step === 'mark') me.mark = 'dot_pending'
  if (step === 'look' && state.isListed) me.isAllowed = false
  if (step === 'end') me.mark = me.isAllowed ? 'sent' : 'refused'
  return [{ state: next, dotSender: step === 'dot' && me.isAllowed ? n : undefined }]
}

function advanceOptOut(state: State, n: number, steps: readonly OptOutStep[]): Reached[] {
  const step = steps[state.optOuts[n]!.at]
  if (!step) return []
  const next = structuredClone(state)
  const me = next.optOuts[n]!
  me.at += 1
  const marked = state.senders.flatMap(({ mark }, sender) => (mark === 'dot_pending' ? [sender] : []))
  if (step === 'store') next.isListed = true
  if (step === 'look') me.seen = marked
  // The timeout may happen at any time, so `wait` may continue immediately. Emails refused by then are not reported.
  if (step === 'wait') me.reported = me.seen.filter(sender => state.senders[sender]!.mark !== 'refused')
  return [{ state: next }]
}
