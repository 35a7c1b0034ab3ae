import type { KeyboardEvent } from 'react'

/**
 * Key handler of a list or table whose rows are siblings: arrow keys, `j`, `k`, Home and End move the focus between
 * rows, Enter opens the row's link and `x` toggles its checkbox.
 */
export function moveFocus(event: KeyboardEvent): void {
  const target = event.target as HTMLElement
  const row = target.closest<HTMLElement>('tbody tr, li')
  if (!row || event.ctrlKey || event.metaKey || event.altKey || target.matches('input, select, textarea'))
    return
  if (event.key === 'Enter' && target === row) row.querySelector('a')?.click()
  if (event.key === 'x') row.querySelector<HTMLElement>('input[type=checkbox]')?.click()
  const next = {
    j: row.nextElementSibling,
    ArrowDown: row.nextElementSibling,
    k: row.previousElementSibling,
    ArrowUp: row.previousElementSibling,
    Home: row.parentElement?.firstElementChild,
    End: row.parentElement?.lastElementChild,
  }[event.key]
  if (!(next instanceof HTMLElement)) return
  event.preventDefault()
  // Focus the row itself, or its link when the row can't take focus.
  const focusable = next.matches('[tabindex]') ? next : next.querySelector('a')
  focusable?.focus()
}
