import { onlineManager } from '@tanstack/react-query'
import { type ApiError, send } from '../client.ts'

const PROBE_INTERVAL_MS = 2_000

let isProbing = false

/** Watches a request. While the server is unreachable, pauses reads and shows the connection bar. */
export const trackConnection = <T>(response: Promise<T>): Promise<T> =>
  response.catch((error: ApiError) => {
    if (error.code === 'Unreachable') {
      onlineManager.setOnline(false)
      if (!isProbing) void probeUntilReachable()
    }
    throw error
  })

async function probeUntilReachable(): Promise<void> {
  isProbing = true
  let isReachable = false
  while (!isReachable) {
    await new Promise(resolve => setTimeout(resolve, PROBE_INTERVAL_MS))
    const signal = AbortSignal.timeout(PROBE_INTERVAL_MS)
    isReachable = await send('', { method: 'GET', path: '/setup' }, { signal }).then(
      () => true,
      () => false,
    )
  }
  isProbing = false
  onlineManager.setOnline(true)
}
