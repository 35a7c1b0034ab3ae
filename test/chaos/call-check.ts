import type { TestApp } from '../support/app.ts'
import { isQuiet, type Person } from './called-people.ts'

/** What was seen outside of the system; hours by the clock of the test, `at` by that of its process. */
export type CallJournal = {
  people: Person[]
  dialed: { reference: string; to: string; at: number; clock: Date }[]
  optOuts: Map<string, { askedAt: number; at: number; inFlight: number }>
  /** By the call's reference: when its provider knew of its end, last failed to answer, and when the end was seen. */
  endedAt: Map<string, number>
  failedAskAt: Map<string, number>
  seenEndedAt: Map<string, number>
}

export type StormFigures = {
  calls: number
  kills?: number
  dialed: number
  answered: number
  refused: number
  /** Nobody could tell whether it took place, and the system says so. */
  unknown: number
  /** … although somebody was dialed. */
  unknownDialed: number
  /** Dialed more often than once. */
  doubled: number
  /** Said to have been, or not to have been, and it was the other way round. */
  wrong: number
  /** Without a clear end. */
  left: number
  /** Known to have ended for more than a minute. */
  stuck: number
  longestStuckMs: number
  quietHours: number
  withoutConsent: number
  /** Dialed after an opt-out was acknowledged that told of nothing in flight. */
  late: number
  /** Dialed although they had asked for no more calls in one. */
  askedNotTo: number
  /** Opt-outs that told of a call in flight. */
  told: number
}

const STUCK_MS = 60_000

type Fate = { id: string; to: string; status: string; outcome: string | null; reason: string | null }

/** What the system says became of each call, held against what its providers dialed. */
export async function tallyStorm(app: TestApp, journal: CallJournal): Promise<StormFigures> {
  const fates = await app.owner<Fate[]>`
    select id, to_number as "to", status, outcome, outcome_reason as reason from calls`
  const { dialed, optOuts, endedAt, failedAskAt, seenEndedAt } = journal
  const people = new Map(journal.people.map(person => [person.phone, person]))
  const byCall = Map.groupBy(dialed, ({ reference }) => reference)
  const byNumber = Map.groupBy(dialed, ({ to }) => to)
  const count = (isSo: (fate: Fate) => boolean): number => fates.filter(isSo).length
  const isDialed = ({ id }: Fate): boolean => byCall.has(id)
  const isUnknown = ({ reason }: Fate): boolean => reason === 'unconfirmed'
  const waits = [...endedAt].map(
    ([id, at]) => (seenEndedAt.get(id) ?? Number.POSITIVE_INFINITY) - Math.max(at, failedAskAt.get(id) ?? 0),
  )
  const isLate = ({ to, at }: CallJournal['dialed'][number]): boolean => {
    const optOut = optOuts.get(to)
    return optOut?.inFlight === 0 && at > optOut.at
  }
  const hasAsked = ({ to, reference }: CallJournal['dialed'][number]): boolean =>
    people.get(to)!.kind === 'asks_in_call' && byNumber.get(to)![0]!.reference !== reference
  return {
    calls: fates.length,
    dialed: byCall.size,
    answered: count(({ outcome }) => outcome === 'answered'),
    refused: count(({ outcome }) => outcome === 'refused'),
    unknown: count(isUnknown),
    unknownDialed: count(fate => isUnknown(fate) && isDialed(fate)),
    doubled: [...byCall.values()].filter(each => each.length > 1).length,
    wrong: count(fate => !isUnknown(fate) && isDialed(fate) !== (fate.outcome === 'answered')),
    left: count(({ status, outcome }) => status !== 'ended' || !outcome),
    stuck: waits.filter(ms => ms > STUCK_MS).length,
    longestStuckMs: Math.max(0, ...waits),
    quietHours: dialed.filter(({ to, clock }) => isQuiet(people.get(to)!.place, clock)).length,
    withoutConsent: dialed.filter(({ to }) => {
      const { kind, place } = people.get(to)!
      return kind === 'never_agreed' && place.needsConsent
    }).length,
    late: dialed.filter(isLate).length,
    askedNotTo: dialed.filter(hasAsked).length,
    told: [...optOuts.values()].filter(({ inFlight }) => inFlight > 0).length,
  }
}
