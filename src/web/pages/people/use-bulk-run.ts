import { useState } from 'react'
import { getPersonName, type Person } from '../../components/person-name.ts'
import { runBatches } from '../../ui/run-concurrently.ts'

export type Failure = { name: string; reason: string }

/** The people left out, and the number of messages to the others that were already being sent. */
export type BatchResult = { failures: Failure[]; inFlight?: number }

export type BulkRun = {
  total: number
  done: number
  failures: Failure[]
  inFlight: number
  isFinished: boolean
}

export const toFailure = (person: Person, reason: string): Failure => ({
  name: getPersonName(person),
  reason,
})

/** Applies an action to batches of people, a few at a time. */
export function useBulkRun() {
  const [run, setRun] = useState<BulkRun>()
  const start = async (
    batches: Person[][],
    act: (people: Person[]) => Promise<BatchResult>,
  ): Promise<void> => {
    setRun({ total: batches.flat().length, done: 0, failures: [], inFlight: 0, isFinished: false })
    const record = (batch: Person[], { failures, inFlight = 0 }: BatchResult) =>
      setRun(
        run =>
          run && {
            ...run,
            done: run.done + batch.length,
            failures: [...run.failures, ...failures],
            inFlight: run.inFlight + inFlight,
          },
      )
    await runBatches(
      batches,
      async batch => record(batch, await act(batch)),
      (batch, { message }) => record(batch, { failures: batch.map(person => toFailure(person, message)) }),
    )
    setRun(run => run && { ...run, isFinished: true })
  }
  return { run, start }
}
