import { useState } from 'react'

const MAX_CONCURRENT_REQUESTS = 4

export type Failure = { name: string; reason: string }
export type BulkRun = { total: number; done: number; failures: Failure[]; isFinished: boolean }

/** Runs requests a few at a time. Each returns why parts of it failed, or throws. */
export function useBulkRun() {
  const [run, setRun] = useState<BulkRun>()
  const start = async <T>(
    batches: { size: number; name: string; input: T }[],
    act: (input: T) => Promise<Failure[]>,
  ): Promise<void> => {
    const total = batches.reduce((sum, { size }) => sum + size, 0)
    const remaining = [...batches]
    setRun({ total, done: 0, failures: [], isFinished: false })
    const worker = async () => {
      for (let batch = remaining.shift(); batch; batch = remaining.shift()) {
        const { input, name, size } = batch
        const failures = await act(input).catch((error: Error) => [{ name, reason: error.message }])
        setRun(run => run && { ...run, done: run.done + size, failures: [...run.failures, ...failures] })
      }
    }
    await Promise.all(Array.from({ length: MAX_CONCURRENT_REQUESTS }, worker))
    setRun(run => run && { ...run, isFinished: true })
  }
  return { run, start, reset: () => setRun(undefined) }
}
