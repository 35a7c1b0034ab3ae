import { type Failpoint, setFailpoints } from '../../src/server/kernel/failpoints.ts'

/**
 * Holds all work at a failpoint. `reached` resolves when any work first arrives there. `release`, or the end of the
 * scope, lets all work continue.
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
