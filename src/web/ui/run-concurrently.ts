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
