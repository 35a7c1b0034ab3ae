import { useEffect } from 'react'
import { Button } from './button.tsx'
import { findScrollContainer } from './find-scroll-container.ts'
import type { NewRows } from './steady-rows.ts'
import { formatNumber } from './time.tsx'

/** Beyond this many rows, further rows load only on click, because all loaded rows are kept current. */
const MAX_AUTOMATIC_ROWS = 10_000

export type LoadMoreProps = { hasMore: boolean; isLoading: boolean; load: () => void; newRows: NewRows }

/**
 * Loads the next page when scrolled into view or clicked, and shows how many rows have arrived above. Rendered right
 * after the list.
 */
export function LoadMore({ hasMore, isLoading, load, newRows, count }: LoadMoreProps & { count: number }) {
  const ref = newRows.anchorRef
  const isAutomatic = count < MAX_AUTOMATIC_ROWS
  useEffect(() => {
    if (isLoading || !isAutomatic || !hasMore || !ref.current) return
    // The observer may report several changes at once, latest last.
    const observer = new IntersectionObserver(entries => entries.at(-1)!.isIntersecting && load(), {
      root: findPane(ref.current),
      rootMargin: '800px',
    })
    observer.observe(ref.current)
    return () => observer.disconnect()
  }, [isLoading, isAutomatic, hasMore, load, ref])
  return (
    <>
      <div ref={ref}>
        {hasMore && (
          <p className="mt-3 text-center">
            <Button size="small" isBusy={isLoading} onClick={load}>
              {isLoading ? 'Loading more…' : 'Load more'}
            </Button>
          </p>
        )}
      </div>
      <NewRowsButton {...newRows} />
    </>
  )
}

/** Returns the pane that the list scrolls in; null for the window. */
function findPane(element: Element): Element | null {
  const container = findScrollContainer(element)
  return container === document.documentElement ? null : container
}

/** Shows the number of new rows near the top of the pane or window, over the list. Rendered below the list. */
const NewRowsButton = ({ count, show }: NewRows) => (
  <div
    role="status"
    className="pointer-events-none sticky bottom-[calc(100cqh-3rem)] z-10 grid h-0 justify-items-center"
  >
    {count > 0 && (
      <button
        type="button"
        onClick={show}
        className="pointer-events-auto animate-appear rounded-full bg-solid px-3.5 py-1 font-medium text-on-solid text-sm tabular-nums shadow-float"
      >
        <span aria-hidden="true">↑ </span>
        {formatNumber(count)} new
      </button>
    )}
  </div>
)
