import { type RefObject, useEffect, useRef, useState } from 'react'

/** Rows that arrived above those being read. */
export type NewRows = {
  /** The element right below the list. */
  anchorRef: RefObject<HTMLDivElement | null>
  count: number
  show: () => void
}

type Key<T> = (row: T) => string | undefined
type State<T> = { latest: T[] | undefined; listKey: string; shown: T[] | undefined }

/**
 * Keeps the rows of a list where they are while its top is scrolled out of view: rows change in place or leave, and new
 * ones above them wait until the reader returns to the top or asks for them. `latest` must be stable between renders.
 */
export function useSteadyRows<T>(
  latest: T[] | undefined,
  listKey: string,
  getKey: Key<T>,
): { rows: T[] | undefined; newRows: NewRows } {
  const anchorRef = useRef<HTMLDivElement>(null)
  const [state, setState] = useState<State<T>>({ latest, listKey, shown: latest })
  let { shown } = state
  if (state.latest !== latest || state.listKey !== listKey) {
    const isSteady = state.listKey === listKey && latest && shown && isTopHidden(anchorRef.current)
    shown = isSteady ? keepRows(shown!, latest, getKey) : latest
    setState({ latest, listKey, shown })
  }
  const isHeld = shown !== latest
  const release = () => setState({ latest, listKey, shown: latest })
  // biome-ignore lint/correctness/useExhaustiveDependencies: `release` depends on `latest` alone
  useEffect(() => {
    if (!isHeld) return
    const handleScroll = () => !isTopHidden(anchorRef.current) && release()
    // Captures, because a pane's scroll event doesn't bubble.
    document.addEventListener('scroll', handleScroll, { capture: true, passive: true })
    return () => document.removeEventListener('scroll', handleScroll, { capture: true })
  }, [isHeld, latest])
  return {
    rows: shown,
    newRows: {
      anchorRef,
      count: (latest?.length ?? 0) - (shown?.length ?? 0),
      show: () => {
        findScroller(anchorRef.current).scrollTo({ top: 0 })
        release()
      },
    },
  }
}

/** Returns the latest version of the shown rows in their order, and the latest rows that follow the last of them. */
export function keepRows<T>(shown: T[], latest: T[], getKey: Key<T>): T[] {
  const byKey = new Map(latest.map(row => [getKey(row), row]))
  const kept = shown.flatMap(row => byKey.get(getKey(row)) ?? [])
  const keptKeys = new Set(kept.map(getKey))
  const last = latest.findLastIndex(row => keptKeys.has(getKey(row)))
  const rows = [...kept, ...latest.slice(last + 1)]
  const isSame = rows.length === latest.length && rows.every((row, index) => row === latest[index])
  return isSame || kept.length === 0 ? latest : rows
}

const findList = (anchor: Element | null) => anchor?.previousElementSibling

/** Returns the element that scrolls the list. */
function findScroller(anchor: Element | null): Element {
  for (let element = anchor?.parentElement; element; element = element.parentElement) {
    if (['auto', 'scroll'].includes(getComputedStyle(element).overflowY)) return element
  }
  return document.documentElement
}

function isTopHidden(anchor: Element | null): boolean {
  const list = findList(anchor)
  if (!list) return false
  const scroller = findScroller(anchor)
  const visibleFrom = scroller === document.documentElement ? 0 : scroller.getBoundingClientRect().top
  return list.getBoundingClientRect().top < visibleFrom
}
