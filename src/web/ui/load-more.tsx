import { useEffect, useRef } from 'react'
import { Button } from './button.tsx'

/** Further rows are loaded at a press only: what scrolls on and on grows the page without anybody's wish. */
const MOST_BY_ITSELF = 1_000

export type LoadMoreProps = { hasMore: boolean; isLoading: boolean; load: () => void }

/** The next page comes when its place scrolls into sight, or at a press. */
export function LoadMore({ hasMore, isLoading, load, shown }: LoadMoreProps & { shown: number }) {
  const place = useRef<HTMLDivElement>(null)
  const isByItself = shown < MOST_BY_ITSELF
  useEffect(() => {
    if (isLoading || !isByItself || !place.current) return
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && load(), {
      rootMargin: '400px',
    })
    observer.observe(place.current)
    return () => observer.disconnect()
  }, [isLoading, isByItself, load])
  if (!hasMore) return null
  return (
    <div ref={place} className="mt-3 text-center">
      <Button size="small" isBusy={isLoading} onClick={load}>
        {isLoading ? 'Loading more…' : 'Load more'}
      </Button>
    </div>
  )
}
