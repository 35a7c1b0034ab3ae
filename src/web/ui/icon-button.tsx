import type { ReactNode } from 'react'

type Props = { label: string; isOff: boolean; onClick: () => void; children: ReactNode }

/** Stays focusable when it's off, so that it keeps the focus at the end of a list. */
export const IconButton = ({ label, isOff, onClick, children }: Props) => (
  <button
    type="button"
    aria-label={label}
    title={label}
    aria-disabled={isOff || undefined}
    onClick={() => !isOff && onClick()}
    className="grid size-9 shrink-0 place-items-center rounded-control text-muted hover:bg-sunken hover:text-text aria-disabled:opacity-40"
  >
    {children}
  </button>
)
