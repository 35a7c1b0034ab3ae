import { Fragment, type ReactNode, useEffect, useRef } from 'react'

export type StreamItem = { key: string; at: string; node: ReactNode }

/** Shows items in chronological order, scrolled to the newest. Items that arrive later don't scroll the list. */
export function Stream({ items }: { items: StreamItem[] }) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.lastElementChild?.scrollIntoView({ block: 'nearest' })
  }, [])
  return (
    <div ref={list} className="grid grid-cols-1 gap-2">
      {items
        .toSorted((a, b) => (a.at < b.at ? -1 : Number(a.at > b.at)))
        .map(({ key, node }) => (
          <Fragment key={key}>{node}</Fragment>
        ))}
    </div>
  )
}
