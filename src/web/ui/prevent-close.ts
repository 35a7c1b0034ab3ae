import { createContext, useContext, useLayoutEffect } from 'react'

/**
 * The closing actions that a dialog ignores. `always`: all but its own buttons. `escape`: only Escape, which is easily
 * pressed by accident.
 */
export type PreventClose = 'always' | 'escape'

export const PreventCloseContext = createContext<((mode: PreventClose, change: 1 | -1) => void) | undefined>(
  undefined,
)

/** Keeps the enclosing dialog, if any, from closing while input or a secret would be lost. */
export function usePreventClose(mode: PreventClose | undefined): void {
  const count = useContext(PreventCloseContext)
  useLayoutEffect(() => {
    if (!mode || !count) return
    count(mode, 1)
    return () => count(mode, -1)
  }, [mode, count])
}
