import { onlineManager } from '@tanstack/react-query'
import { type ApiError, send } from '../client.ts'

const PAUSE_MS = 2_000

let isAsking = false

/** Passes an answer on. When none came, reads wait until the server is back, and the bar says so. */
export const trackConnection = <T>(answer: Promise<T>): Promise<T> =>
  answer.catch((error: ApiError) => {
    if (error.code === 'Unreachable') {
      onlineManager.setOnline(false)
      if (!isAsking) void askUntilBack()
    }
    throw error
  })

async function askUntilBack(): Promise<void> {
  isAsking = true
  let isBack = false
  while (!isBack) {
    await new Promise(done => setTimeout(done, PAUSE_MS))
    const signal = AbortSignal.timeout(PAUSE_MS)
    isBack = await send('', { method: 'GET', path: '/setup' }, { signal }).then(
      () => true,
      () => false,
    )
  }
  isAsking = false
  onlineManager.setOnline(true)
}
