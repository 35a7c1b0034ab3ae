import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useRef } from 'react'

/** So many rows a browser bears whole, and finds text in all of them. */
const MOST_WHOLE = 200
const USUAL_HEIGHT_PX = 40
/** Kept beyond the edges, so that keys and quick scrolling meet rows. */
const BEYOND = 20

/** Of many rows those in sight, with the heights of what is left out above and below. */
export function useVirtualRows<T>(rows: T[]) {
  const place = useRef<HTMLTableSectionElement>(null)
  const isWhole = rows.length <= MOST_WHOLE
  const virtual = useWindowVirtualizer({
    count: rows.length,
    enabled: !isWhole,
    estimateSize: () => USUAL_HEIGHT_PX,
    overscan: BEYOND,
    scrollMargin: place.current ? place.current.getBoundingClientRect().top + scrollY : 0,
  })
  if (isWhole) {
    return {
      place,
      measure: undefined,
      above: 0,
      below: 0,
      shown: rows.map((row, index) => ({ row, index })),
    }
  }
  const items = virtual.getVirtualItems()
  const margin = virtual.options.scrollMargin
  return {
    place,
    measure: virtual.measureElement,
    above: (items[0]?.start ?? margin) - margin,
    below: virtual.getTotalSize() - ((items.at(-1)?.end ?? margin) - margin),
    shown: items.map(({ index }) => ({ row: rows[index]!, index })),
  }
}
