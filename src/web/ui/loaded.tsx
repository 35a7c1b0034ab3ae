import type { ReactNode } from 'react'
import { type DisplayError, ErrorState } from './error-state.tsx'

type Props<T> = {
  query: { data: T | undefined; error: DisplayError | null; refetch: () => unknown }
  skeleton: ReactNode
  children: (data: T) => ReactNode
}

/** Renders a query's data, its error or, while loading, the skeleton. */
export function Loaded<T>({ query: { data, error, refetch }, skeleton, children }: Props<T>) {
  if (data !== undefined) return children(data)
  if (error) return <ErrorState error={error} onRetry={() => refetch()} />
  return skeleton
}
