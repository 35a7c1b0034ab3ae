import type { ReactNode } from 'react'

type Props = { label: string; isDisabled: boolean; onClick: () => void; children: ReactNode }

/**
 * Shows a button with an icon. Stays focusable while disabled, so that a click that disables it doesn't lose focus.
 */
export const IconButton = ({ label, isDisabled, onClick, children }: Props) => (
  <button
    type="button"
    aria-label={label}
    title={label}
    aria-disabled={isDisabled || undefined}
    onClick={() => !isDisabled && onClick()}
    className="grid size-9 shrink-0 place-items-center rounded-control text-muted hover:bg-sunken hover:text-text aria-disabled:opacity-40"
  >
    {children}
  </button>
)
