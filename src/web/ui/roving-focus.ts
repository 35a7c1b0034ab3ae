import type { KeyboardEvent } from 'react'

/** Arrows, `j`, `k`, Home and End go from row to row, which are siblings; Enter opens what the row leads to, `x` selects it. */
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
  // The row itself, or the link that it is.
  const place = next.matches('[tabindex]') ? next : next.querySelector('a')
  place?.focus()
}
