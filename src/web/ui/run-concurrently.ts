const MAX_CONCURRENT_RUNS = 4

/** Runs the action for each item, a few at a time. The action must not reject. */
export async function runConcurrently<T>(
  items: readonly T[],
  act: (item: T) => Promise<void>,
): Promise<void> {
  const remaining = [...items]
  const worker = async () => {
    for (let item = remaining.shift(); item !== undefined; item = remaining.shift()) await act(item)
  }
  await Promise.all(Array.from({ length: MAX_CONCURRENT_RUNS }, worker))
}

/** Divides items into batches of at most `size`. */
export const toBatches = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size))

type RequestError = Error & { code?: string; retryAfterSeconds?: number | undefined }

const DEFAULT_RETRY_SECONDS = 60
const sleepFor = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))

/** Sends a request and, while the rate limit rejects it, repeats it after the delay that the server asks for. */
export async function retryWhenLimited<T>(request: () => Promise<T>, sleep = sleepFor): Promise<T> {
  while (true) {
    try {
      return await request()
    } catch (error) {
      const { code, retryAfterSeconds = DEFAULT_RETRY_SECONDS } = error as RequestError
      if (code !== 'TooManyRequests') throw error
      await sleep(retryAfterSeconds * 1_000)
    }
  }
}

/**
 * Sends a request for each batch, a few at a time, and waits for the rate limit. The server rejects a batch as a whole
 * if one item is invalid; its items are then sent one by one, so that only the invalid ones fail.
 */
export async function runBatches<T>(
  batches: readonly T[][],
  request: (batch: T[]) => Promise<void>,
  onError: (batch: T[], error: Error) => void,
  sleep = sleepFor,
): Promise<void> {
  const attempt = async (batch: T[]): Promise<void> => {
    try {
      await retryWhenLimited(() => request(batch), sleep)
    } catch (error) {
      const { code } = error as RequestError
      if (code === 'ValidationError' && batch.length > 1) for (const item of batch) await attempt([item])
      else onError(batch, error as Error)
    }
  }
  await runConcurrently(batches, attempt)
}
