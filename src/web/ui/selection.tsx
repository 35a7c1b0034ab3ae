import { type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { formatNumber } from './time.tsx'

export type Selection<T> = {
  rows: T[]
  has: (id: string) => boolean
  toggle: (id: string) => void
  clear: () => void
}

/** Tracks the selected rows. Rows that leave the list are deselected. */
export function useSelection<T extends { id: string }>(listed: T[] = []): Selection<T> {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  return {
    rows: listed.filter(({ id }) => ids.has(id)),
    has: id => ids.has(id),
    toggle: id => setIds(before => before.symmetricDifference(new Set([id]))),
    clear: () => setIds(new Set()),
  }
}

/** Bulk actions for the selected rows. Hidden while nothing is selected. */
export function SelectionBar({
  selection: { rows, clear },
  children,
}: {
  selection: Selection<unknown>
  children: ReactNode
}) {
  if (rows.length === 0) return null
  return (
    <section
      aria-label="Selected rows"
      className="fixed inset-x-4 bottom-18 z-10 mx-auto flex w-fit max-w-[calc(100%-2rem)] animate-appear flex-wrap items-center gap-2 rounded-card border border-line bg-surface py-1.5 pr-1.5 pl-4 shadow-float narrow:bottom-5"
    >
      <span className="mr-2">{formatNumber(rows.length)} selected</span>
      {children}
      <Button look="quiet" size="small" onClick={clear}>
        Clear selection
      </Button>
    </section>
  )
}
