import { type ReactNode, useRef, useState } from 'react'
import { Button } from './button.tsx'
import { formatNumber } from './time.tsx'

export type Selection<T> = {
  rows: T[]
  /** Number of rows in the list, selected or not. */
  listedCount: number
  has: (id: string) => boolean
  toggle: (id: string) => void
  /** Selects the row and all rows between it and the last toggled row. */
  extend: (id: string) => void
  /** Replaces the selection with these rows, including rows that are not listed yet. */
  select: (ids: string[]) => void
  selectAll: () => void
  clear: () => void
}

/** Tracks the selected rows. Rows that disappear from the list are deselected. */
export function useSelection<T extends { id: string }>(listedRows: T[] = []): Selection<T> {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const last = useRef<string>(undefined)
  return {
    rows: listedRows.filter(({ id }) => ids.has(id)),
    listedCount: listedRows.length,
    has: id => ids.has(id),
    toggle: id => {
      last.current = id
      setIds(before => before.symmetricDifference(new Set([id])))
    },
    extend: id => {
      const ends = new Set([last.current, id])
      const from = listedRows.findIndex(row => ends.has(row.id))
      const to = listedRows.findLastIndex(row => ends.has(row.id))
      last.current = id
      const added = listedRows.slice(from, to + 1).map(row => row.id)
      setIds(before => before.union(new Set(added)))
    },
    select: ids => setIds(new Set(ids)),
    selectAll: () => setIds(new Set(listedRows.map(({ id }) => id))),
    clear: () => setIds(new Set()),
  }
}

type SelectBoxProps = { selection: Selection<unknown>; id: string; name: string }

/** Shows a row's checkbox. Shift-click also selects the rows in between. */
export const SelectBox = ({ selection, id, name }: SelectBoxProps) => (
  <input
    type="checkbox"
    aria-label={`Select ${name}`}
    checked={selection.has(id)}
    onChange={({ nativeEvent }) =>
      nativeEvent instanceof MouseEvent && nativeEvent.shiftKey ? selection.extend(id) : selection.toggle(id)
    }
    className="size-4 shrink-0 accent-solid max-narrow:in-[td]:-ml-6.5"
  />
)

/** Shows bulk actions for the selected rows. Hidden while nothing is selected. */
export function SelectionBar({
  selection: { rows, listedCount, selectAll, clear },
  children,
}: {
  selection: Selection<unknown>
  children: ReactNode
}) {
  if (rows.length === 0) return null
  return (
    <section
      aria-label="Selected rows"
      data-selection-bar
      className="fixed inset-x-4 bottom-18 z-10 mx-auto flex w-fit max-w-[calc(100%-2rem)] animate-appear flex-wrap items-center gap-2 rounded-card border border-line bg-surface py-1.5 pr-1.5 pl-4 shadow-float narrow:bottom-5"
    >
      <span className="mr-2">{formatNumber(rows.length)} selected</span>
      {children}
      {rows.length < listedCount && (
        <Button look="quiet" size="small" onClick={selectAll}>
          Select all {formatNumber(listedCount)}
        </Button>
      )}
      <Button look="quiet" size="small" onClick={clear}>
        Clear selection
      </Button>
    </section>
  )
}
