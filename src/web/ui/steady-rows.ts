import { type RefObject, useEffect, useRef, useState } from 'react'
import { findScrollContainer } from './find-scroll-container.ts'

/** New rows that are held back because the user is reading rows below them. */
export type NewRows = {
  /** The element directly below the list. */
  anchorRef: RefObject<HTMLDivElement | null>
  count: number
  show: () => void
}

/** Keys of rows that the user returns to a list, for example by undoing a change. */
let returning: ReadonlySet<string | undefined> = new Set()

/** Makes these rows appear where they belong once they are in the list again, even while new rows are held back. */
export const showReturning = (keys: string[]): void => {
  returning = new Set(keys)
}

type Key<T> = (row: T) => string | undefined
type State<T> = { latest: T[] | undefined; listKey: string; shown: T[] | undefined }

/**
 * Keeps the rows of a list from moving while its top is scrolled out of view. Rows still change in place or disappear,
 * but new rows above them are held back until the user scrolls to the top or asks for them. `latest` must be stable
 * between renders.
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
    shown = isSteady ? keepRows(shown!, latest, getKey, returning) : latest
    setState({ latest, listKey, shown })
  }
  const isHeld = shown !== latest
  const release = () => setState({ latest, listKey, shown: latest })
  // biome-ignore lint/correctness/useExhaustiveDependencies: `release` depends on `latest` alone
  useEffect(() => {
    if (!isHeld) return
    const handleScroll = () => !isTopHidden(anchorRef.current) && release()
    // Listens in the capture phase, because a pane's scroll event doesn't bubble.
    document.addEventListener('scroll', handleScroll, { capture: true, passive: true })
    return () => document.removeEventListener('scroll', handleScroll, { capture: true })
  }, [isHeld, latest])
  return {
    rows: shown,
    newRows: {
      anchorRef,
      count: (latest?.length ?? 0) - (shown?.length ?? 0),
      show: () => {
        findScrollContainer(anchorRef.current).scrollTo({ top: 0 })
        release()
      },
    },
  }
}

/**
 * Returns the latest version of the shown rows in their order, then the latest rows that follow the last of them.
 * Inserts returning rows below the row that they follow.
 */
export function keepRows<T>(
  shown: T[],
  latest: T[],
  getKey: Key<T>,
  returning: ReadonlySet<string | undefined> = new Set(),
): T[] {
  const byKey = new Map(latest.map(row => [getKey(row), row]))
  const kept = shown.flatMap(row => byKey.get(getKey(row)) ?? [])
  const keptKeys = new Set(kept.map(getKey))
  const last = latest.findLastIndex(row => keptKeys.has(getKey(row)))
  const rows = [...kept, ...latest.slice(last + 1)]
  for (const [index, row] of latest.entries()) {
    if (!returning.has(getKey(row)) || rows.includes(row)) continue
    const above = latest.slice(0, index).findLast(other => rows.includes(other))
    rows.splice(above ? rows.indexOf(above) + 1 : 0, 0, row)
  }
  const isSame = rows.length === latest.length && rows.every((row, index) => row === latest[index])
  return isSame || kept.length === 0 ? latest : rows
}

const findList = (anchor: Element | null) => anchor?.previousElementSibling

function isTopHidden(anchor: Element | null): boolean {
  const list = findList(anchor)
  if (!list) return false
  const container = findScrollContainer(anchor)
  const visibleFrom = container === document.documentElement ? 0 : container.getBoundingClientRect().top
  return list.getBoundingClientRect().top < visibleFrom
}
