import { setTimeout as delay } from 'node:timers/promises'

/** Resolves to true after `ms`, or to false as soon as the signal aborts. */
export const sleep = (ms: number, signal: AbortSignal): Promise<boolean> =>
  delay(ms, true, { signal }).catch(() => false)
