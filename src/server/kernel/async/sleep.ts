import { setTimeout as sleep } from 'node:timers/promises'

/** False when the signal came first. */
export const hasSlept = (ms: number, signal: AbortSignal): Promise<boolean> =>
  sleep(ms, true, { signal }).catch(() => false)
