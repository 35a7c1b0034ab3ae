import { type Failpoint, setFailpoints } from '../../src/server/kernel/failpoints.ts'

/**
 * Holds all work at a failpoint. `reached` resolves when the first work is there; `release` lets it continue, and so
 * does the end of the scope.
 */
export function holdAt(failpoint: Failpoint): Disposable & { reached: Promise<void>; release: () => void } {
  const reached = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  setFailpoints(name => {
    if (name !== failpoint) return undefined
    reached.resolve()
    return { do: 'wait', until: released.promise }
  })
  const release = () => {
    setFailpoints(undefined)
    released.resolve()
  }
  return { reached: reached.promise, release, [Symbol.dispose]: release }
}
