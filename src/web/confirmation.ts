import { useSyncExternalStore } from 'react'

let answer: PromiseWithResolvers<boolean> | undefined
const listeners = new Set<() => void>()

function set(next: typeof answer): void {
  answer = next
  for (const tell of listeners) tell()
}

/** Asks the person to confirm who they are, once for all requests that wait for it; false when they don't. */
export function requestConfirmation(): Promise<boolean> {
  if (!answer) set(Promise.withResolvers())
  return answer!.promise
}

export function resolveConfirmation(isConfirmed: boolean): void {
  answer?.resolve(isConfirmed)
  set(undefined)
}

/** Whether a request waits. */
export const useIsConfirmationPending = (): boolean =>
  useSyncExternalStore(
    listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => answer !== undefined,
  )
