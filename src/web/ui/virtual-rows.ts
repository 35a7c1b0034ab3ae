import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useRef } from 'react'
import { useMediaQuery } from './use-media-query.ts'

/** Up to this many rows are rendered in full, so that the browser's search finds text in all of them. */
export const MAX_FULL_ROWS = 200
const ESTIMATED_HEIGHT_PX = 40
/** Rows rendered beyond the viewport, for arrow keys and fast scrolling. */
export const OVERSCAN = 20

/** Returns the rows to render, and the heights of the rows left out above and below. */
export function useVirtualRows<T>(rows: T[]) {
  const bodyRef = useRef<HTMLTableSectionElement>(null)
  const isPrinting = useMediaQuery('print')
  const isFull = rows.length <= MAX_FULL_ROWS || isPrinting
  const virtual = useWindowVirtualizer({
    count: rows.length,
    enabled: !isFull,
    estimateSize: () => ESTIMATED_HEIGHT_PX,
    overscan: OVERSCAN,
    scrollMargin: bodyRef.current ? bodyRef.current.getBoundingClientRect().top + scrollY : 0,
  })
  if (isFull) {
    return {
      bodyRef,
      measure: undefined,
      above: 0,
      below: 0,
      visible: rows.map((row, index) => ({ row, index })),
    }
  }
  const items = virtual.getVirtualItems()
  const margin = virtual.options.scrollMargin
  return {
    bodyRef,
    measure: virtual.measureElement,
    above: (items[0]?.start ?? margin) - margin,
    below: virtual.getTotalSize() - ((items.at(-1)?.end ?? margin) - margin),
    visible: items.map(({ index }) => ({ row: rows[index]!, index })),
  }
}
