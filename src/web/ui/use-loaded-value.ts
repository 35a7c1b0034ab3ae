import { useEffect, useState } from 'react'

/** Returns a function that resolves to the value once it has loaded, so that a form can be submitted before then. */
export function useLoadedValue<T>(value: T, isLoading: boolean): () => Promise<T> {
  const [waiting] = useState(() => new Set<(value: T) => void>())
  useEffect(() => {
    if (isLoading) return
    for (const resolve of waiting) resolve(value)
    waiting.clear()
  }, [value, isLoading, waiting])
  return () => (isLoading ? new Promise(resolve => waiting.add(resolve)) : Promise.resolve(value))
}
