import { type ComponentType, createContext, type ReactNode, useContext } from 'react'
import { type DisplayError, ErrorState } from './error-state.tsx'

type Props<T> = {
  query: { data: T | undefined; error: DisplayError | null; refetch: () => unknown }
  skeleton: ReactNode
  children: (data: T) => ReactNode
}

/** Explains what to do about an error. Provided by the app, which knows its pages. */
export const ErrorHelpContext = createContext<ComponentType<{ error: DisplayError }>>(() => null)

/** Renders a query's data, its error or, while loading, the skeleton. */
export function Loaded<T>({ query: { data, error, refetch }, skeleton, children }: Props<T>) {
  const ErrorHelp = useContext(ErrorHelpContext)
  if (data !== undefined) return children(data)
  if (error) {
    return (
      <ErrorState error={error} onRetry={() => refetch()}>
        <ErrorHelp error={error} />
      </ErrorState>
    )
  }
  return skeleton
}
