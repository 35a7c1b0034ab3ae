import { useState } from 'react'
import { runConcurrently } from '../../ui/run-concurrently.ts'

export type Failure = { name: string; reason: string }
export type BulkRun = { total: number; done: number; failures: Failure[]; isFinished: boolean }

/** Runs requests a few at a time. Each returns its failures, or throws. */
export function useBulkRun() {
  const [run, setRun] = useState<BulkRun>()
  const start = async <T>(
    batches: { size: number; name: string; input: T }[],
    act: (input: T) => Promise<Failure[]>,
  ): Promise<void> => {
    const total = batches.reduce((sum, { size }) => sum + size, 0)
    setRun({ total, done: 0, failures: [], isFinished: false })
    await runConcurrently(batches, async ({ input, name, size }) => {
      const failures = await act(input).catch((error: Error) => [{ name, reason: error.message }])
      setRun(run => run && { ...run, done: run.done + size, failures: [...run.failures, ...failures] })
    })
    setRun(run => run && { ...run, isFinished: true })
  }
  return { run, start }
}
