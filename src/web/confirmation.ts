import { useSyncExternalStore } from 'react'

let pending: PromiseWithResolvers<boolean> | undefined
const listeners = new Set<() => void>()

function setPending(next: typeof pending): void {
  pending = next
  for (const listener of listeners) listener()
}

/** Asks the user to confirm their identity, once for all pending requests. Resolves to false when they decline. */
export function requestConfirmation(): Promise<boolean> {
  if (!pending) setPending(Promise.withResolvers())
  return pending!.promise
}

export function resolveConfirmation(isConfirmed: boolean): void {
  pending?.resolve(isConfirmed)
  setPending(undefined)
}

/** Reports whether a request is waiting for the user to confirm their identity. */
export const useIsConfirmationPending = (): boolean =>
  useSyncExternalStore(
    listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => pending !== undefined,
  )
