import { Link } from '@tanstack/react-router'
import { type ReactNode, useId } from 'react'
import type { DisplayError } from '../../ui/error-state.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { listKeys } from '../../ui/roving-focus.ts'
import { Skeleton } from '../../ui/skeleton.tsx'

type Props<T> = {
  title: string
  /** The page that shows all items. */
  link?: { to: string; search?: Record<string, string>; label: string }
  query: { data: T | undefined; error: DisplayError | null; refetch: () => unknown }
  /** Returns the number of items, as in `3` or `9+`. */
  count: (data: T) => string | number
  /** The sentence to show when there are no items. */
  empty: ReactNode
  children: (data: T) => ReactNode
}

/**
 * Shows a card with a title, the number of items, the first items, and a link to the page that shows all items.
 */
export function DayCard<T>({ title, link, query, count, empty, children }: Props<T>) {
  const id = useId()
  const shown = query.data === undefined ? undefined : String(count(query.data))
  return (
    <section
      aria-labelledby={id}
      className="flex min-w-0 flex-col rounded-card border border-line bg-surface p-4 narrow:p-5"
    >
      <header className="mb-3 flex items-baseline justify-between gap-4">
        <h2 id={id} className="font-semibold text-lg">
          {title}
        </h2>
        {shown !== undefined && <p className="font-semibold text-xl tabular-nums">{shown}</p>}
      </header>
      <Loaded query={query} skeleton={<CardSkeleton />}>
        {data => (shown === '0' ? <div className="grid gap-1 text-muted">{empty}</div> : children(data))}
      </Loaded>
      {link && shown !== undefined && shown !== '0' && (
        <p className="mt-auto pt-3">
          <Link
            to={link.to}
            {...(link.search && { search: link.search })}
            className="text-accent underline-offset-2 hover:underline"
          >
            {link.label}
          </Link>
        </p>
      )}
    </section>
  )
}

const CardSkeleton = () => (
  <div role="status" aria-label="Loading" className="grid gap-3">
    <Skeleton className="h-4 w-2/3" />
    <Skeleton className="h-4 w-1/2" />
    <Skeleton className="h-4 w-3/5" />
  </div>
)

/** Shows the first items of a card. */
export const CardRows = ({ label, children }: { label: string; children: ReactNode }) => (
  <ul aria-label={label} {...listKeys} className="-mx-2 grid grid-cols-1">
    {children}
  </ul>
)

type RowProps = {
  to: string
  search?: Record<string, string>
  title: ReactNode
  text?: ReactNode
  aside?: ReactNode
}

export const CardRow = ({ to, search, title, text, aside }: RowProps) => (
  <li>
    <Link to={to} {...(search && { search })} className="block rounded-control px-2 py-1.5 hover:bg-sunken">
      <span className="flex items-baseline justify-between gap-3">
        <span className="min-w-0 truncate font-medium">{title}</span>
        {aside && <span className="flex shrink-0 items-baseline gap-2 text-muted text-sm">{aside}</span>}
      </span>
      {text && <span className="block truncate text-muted text-sm">{text}</span>}
    </Link>
  </li>
)
