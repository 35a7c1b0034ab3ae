import { useEffect, useRef } from 'react'
import { Button } from './button.tsx'

/** Beyond this many rows, more are loaded on click only, so that scrolling can't grow the page without limit. */
const MAX_AUTOMATIC_ROWS = 1_000

export type LoadMoreProps = { hasMore: boolean; isLoading: boolean; load: () => void }

/** Loads the next page when scrolled into view or clicked. */
export function LoadMore({ hasMore, isLoading, load, count }: LoadMoreProps & { count: number }) {
  const ref = useRef<HTMLDivElement>(null)
  const isAutomatic = count < MAX_AUTOMATIC_ROWS
  useEffect(() => {
    if (isLoading || !isAutomatic || !ref.current) return
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && load(), {
      rootMargin: '400px',
    })
    observer.observe(ref.current)
    return () => observer.disconnect()
  }, [isLoading, isAutomatic, load])
  if (!hasMore) return null
  return (
    <div ref={ref} className="mt-3 text-center">
      <Button size="small" isBusy={isLoading} onClick={load}>
        {isLoading ? 'Loading more…' : 'Load more'}
      </Button>
    </div>
  )
}
