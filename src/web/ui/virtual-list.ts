import {
  defaultRangeExtractor,
  elementScroll,
  observeElementOffset,
  observeElementRect,
  observeWindowOffset,
  observeWindowRect,
  type Range,
  useVirtualizer,
  type Virtualizer,
  windowScroll,
} from '@tanstack/react-virtual'
import { useRef } from 'react'
import { findScrollContainer } from './find-scroll-container.ts'
import { useMediaQuery } from './use-media-query.ts'
import { MAX_FULL_ROWS, OVERSCAN } from './virtual-rows.ts'

/** A list that scrolls in a pane. For lists that scroll with the window, the library has another type and functions. */
type List = Virtualizer<Element, HTMLLIElement>
type WindowList = Virtualizer<Window, HTMLLIElement>

const toScroller = (element: Element): Element =>
  element === document.documentElement ? (window as unknown as Element) : element

/** Returns the list if it scrolls with the window. */
const toWindowList = (list: List): WindowList | undefined =>
  list.scrollElement === toScroller(document.documentElement) ? (list as unknown as WindowList) : undefined

/** Functions that work for both kinds of scroll container. The kind can change when the window is resized. */
const scrolling: Pick<List['options'], 'observeElementRect' | 'observeElementOffset' | 'scrollToFn'> = {
  observeElementRect: (list, report) => {
    const inWindow = toWindowList(list)
    return inWindow ? observeWindowRect(inWindow, report) : observeElementRect(list, report)
  },
  observeElementOffset: (list, report) => {
    const inWindow = toWindowList(list)
    return inWindow ? observeWindowOffset(inWindow, report) : observeElementOffset(list, report)
  },
  scrollToFn: (offset, options, list) => {
    const inWindow = toWindowList(list)
    return inWindow ? windowScroll(offset, options, inWindow) : elementScroll(offset, options, list)
  },
}

type Options = { estimatedHeightPx: number; openId: string | undefined }

/**
 * Returns the items of a list to render, each with the gap above it, and the height of the items omitted at the end.
 * The list scrolls in a pane or with the window. The focused row, the open row and their neighbors are always rendered,
 * so that keyboard shortcuts find them at any scroll position.
 */
export function useVirtualList<T extends { id: string }>(rows: T[], { estimatedHeightPx, openId }: Options) {
  const listRef = useRef<HTMLUListElement>(null)
  const margin = useRef(0)
  const isPrinting = useMediaQuery('print')
  const isFull = rows.length <= MAX_FULL_ROWS || isPrinting
  const openIndex = rows.findIndex(({ id }) => id === openId)
  // A hidden list can't be measured; it keeps its last margin.
  if (listRef.current?.offsetParent) margin.current = measureMargin(listRef.current)
  const list = useVirtualizer<Element, HTMLLIElement>({
    ...scrolling,
    count: rows.length,
    getScrollElement: () => toScroller(findScrollContainer(listRef.current)),
    getItemKey: index => rows[index]?.id ?? index,
    estimateSize: () => estimatedHeightPx,
    // A hidden row keeps its height.
    measureElement: (element, _entry, { measurementsCache, indexFromElement }) =>
      element.offsetHeight || (measurementsCache[indexFromElement(element)]?.size ?? estimatedHeightPx),
    overscan: OVERSCAN,
    scrollMargin: margin.current,
    rangeExtractor: range =>
      isFull
        ? rows.map((_, index) => index)
        : extendRange(range, [openIndex, findFocusedIndex(listRef.current)]),
  })
  const items = list.getVirtualItems().filter(({ index }) => index < rows.length)
  const getEnd = (position: number) => items[position]?.end ?? margin.current
  return {
    listRef,
    isFull,
    measure: list.measureElement,
    below: Math.max(0, list.getTotalSize() - (getEnd(items.length - 1) - margin.current)),
    visible: items.map(({ index, start }, position) => ({
      row: rows[index]!,
      index,
      gap: start - getEnd(position - 1),
    })),
  }
}

/** Returns the distance of the list from the top of its scroll container. */
function measureMargin(list: HTMLElement): number {
  const container = findScrollContainer(list)
  const top = container === document.documentElement ? 0 : container.getBoundingClientRect().top
  return list.getBoundingClientRect().top - top + container.scrollTop
}

const findFocusedIndex = (list: HTMLElement | null): number => {
  const row = list?.contains(document.activeElement) && document.activeElement?.closest('li')
  return row ? Number(row.dataset.index) : -1
}

/** Adds these rows and their neighbors to the visible rows. */
function extendRange(range: Range, indexes: number[]): number[] {
  const kept = indexes
    .filter(index => index >= 0)
    .flatMap(index => [index - 1, index, index + 1])
    .filter(index => index >= 0 && index < range.count)
  return [...new Set([...defaultRangeExtractor(range), ...kept])].sort((a, b) => a - b)
}
