import type { TestApp } from '../support/app.ts'
import { type CalledPerson, isQuiet } from './called-people.ts'

/** Events at the providers and callers. `clock` is the test's clock; `at` is `performance.now()`. */
export type CallJournal = {
  people: CalledPerson[]
  dialed: { reference: string; to: string; at: number; clock: Date }[]
  optOuts: Map<string, { requestedAt: number; at: number; inFlight: number }>
  /**
   * Times by call reference: when the call ended at the provider, when the last status request failed, and when the end
   * was first seen in the database.
   */
  endedAt: Map<string, number>
  failedPollAt: Map<string, number>
  seenEndedAt: Map<string, number>
}

export type CallStormFigures = {
  calls: number
  kills?: number
  dialed: number
  answered: number
  refused: number
  /** Reported as unconfirmed. */
  unknown: number
  /** Reported as unconfirmed, but dialed. */
  unknownDialed: number
  /** Dialed more than once. */
  duplicated: number
  /** The recorded outcome contradicts whether the call was dialed. */
  mismatched: number
  /** Not ended, or without an outcome. */
  unfinished: number
  /**
   * Not recorded as ended within a minute of its end at the provider or, if later, of the last failed status request.
   */
  stuck: number
  longestStuckMs: number
  quietHours: number
  withoutConsent: number
  /** Dialed after an acknowledged opt-out that reported none in flight. */
  late: number
  /** Dialed again after an opt-out during a call. */
  afterOptOut: number
  /** Opt-outs that reported a call in flight. */
  reportedInFlight: number
}

const STUCK_MS = 60_000

type RecordedCall = { id: string; to: string; status: string; outcome: string | null; reason: string | null }

/** Compares the recorded outcome of every call with what the providers dialed. */
export async function tallyCalls(app: TestApp, journal: CallJournal): Promise<CallStormFigures> {
  const calls = await app.owner<RecordedCall[]>`
    select id, to_number as "to", status, outcome, outcome_reason as reason from calls`
  const { dialed, optOuts, endedAt, failedPollAt, seenEndedAt } = journal
  const people = new Map(journal.people.map(person => [person.phone, person]))
  const byCall = Map.groupBy(dialed, ({ reference }) => reference)
  const byNumber = Map.groupBy(dialed, ({ to }) => to)
  const count = (isCounted: (call: RecordedCall) => boolean): number => calls.filter(isCounted).length
  const isDialed = ({ id }: RecordedCall): boolean => byCall.has(id)
  const isUnknown = ({ reason }: RecordedCall): boolean => reason === 'unconfirmed'
  const waits = [...endedAt].map(
    ([id, at]) => (seenEndedAt.get(id) ?? Number.POSITIVE_INFINITY) - Math.max(at, failedPollAt.get(id) ?? 0),
  )
  const isLate = ({ to, at }: CallJournal['dialed'][number]): boolean => {
    const optOut = optOuts.get(to)
    return optOut?.inFlight === 0 && at > optOut.at
  }
  const isUnwanted = ({ to, reference }: CallJournal['dialed'][number]): boolean =>
    people.get(to)!.reaction === 'opts_out_in_call' && byNumber.get(to)![0]!.reference !== reference
  return {
    calls: calls.length,
    dialed: byCall.size,
    answered: count(({ outcome }) => outcome === 'answered'),
    refused: count(({ outcome }) => outcome === 'refused'),
    unknown: count(isUnknown),
    unknownDialed: count(call => isUnknown(call) && isDialed(call)),
    duplicated: [...byCall.values()].filter(each => each.length > 1).length,
    mismatched: count(call => !isUnknown(call) && isDialed(call) !== (call.outcome === 'answered')),
    unfinished: count(({ status, outcome }) => status !== 'ended' || !outcome),
    stuck: waits.filter(ms => ms > STUCK_MS).length,
    longestStuckMs: Math.max(0, ...waits),
    quietHours: dialed.filter(({ to, clock }) => isQuiet(people.get(to)!.country, clock)).length,
    withoutConsent: dialed.filter(({ to }) => {
      const { reaction, country } = people.get(to)!
      return reaction === 'never_agreed' && country.needsConsent
    }).length,
    late: dialed.filter(isLate).length,
    afterOptOut: dialed.filter(isUnwanted).length,
    reportedInFlight: [...optOuts.values()].filter(({ inFlight }) => inFlight > 0).length,
  }
}
