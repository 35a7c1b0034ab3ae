import { useEffect } from 'react'
import { isTyping } from './use-shortcuts.ts'

/** Props of the element whose rows (table rows or list items) react to the keys of `useListKeys`. */
export const listKeys = { 'data-list': '' }

const ROWS = '[data-list] > tbody > tr, [data-list] > li'
const CHECKBOX = 'input[type=checkbox]'
/** Elements that act on Enter by themselves. */
const CONTROLS = 'a, button, input, select, textarea, summary, [tabindex]:not(li, tr, main, h1, h2)'

/**
 * Moves the focus through the rows of a page's lists with `j` and `k`, opens a row with Enter and selects it with `x`, from
 * wherever the focus is. Within a list the arrow keys, Home and End move, too.
 */
export function useListKeys(): void {
  useEffect(() => {
    document.addEventListener('keydown', handleKeyDown)
    return () => document.removeEventListener('keydown', handleKeyDown)
  }, [])
}

function handleKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return
  const rows = getRows()
  const target = event.target as HTMLElement
  const focused = rows.indexOf(target.closest<HTMLElement>(ROWS)!)
  if (focused < 0 && !['j', 'k', 'x', 'Enter'].includes(event.key)) return
  if (event.key === 'Enter' && target.matches(CONTROLS)) return
  // Without focus, keys act on the row that is open beside the list, or the first.
  const open = rows.findIndex(row => row.querySelector('[aria-current=page]'))
  const current = focused >= 0 ? focused : open
  const row = rows[Math.max(current, 0)]
  if (!row) return
  const siblings = rows.filter(({ parentElement }) => parentElement === row.parentElement)
  const act = {
    j: () => focusRow(rows[current + 1]),
    ArrowDown: () => focusRow(rows[current + 1]),
    k: () => focusRow(rows[Math.max(current - 1, 0)]),
    ArrowUp: () => focusRow(rows[current - 1]),
    Home: () => focusRow(siblings[0]),
    End: () => focusRow(siblings.at(-1)),
    Enter: () => row.querySelector('a')?.click(),
    x: () => {
      focusRow(row)
      row.querySelector<HTMLElement>(CHECKBOX)?.click()
    },
  }[event.key]
  if (!act) return
  event.preventDefault()
  act()
}

/** Returns the rows of the page's lists that can be focused. */
const getRows = (): HTMLElement[] =>
  [...document.querySelectorAll<HTMLElement>(ROWS)].filter(row => toFocusable(row) && row.checkVisibility())

/** Returns the row, or its link when the row can't take focus. */
const toFocusable = (row: HTMLElement): HTMLElement | null =>
  row.matches('[tabindex]') ? row : row.querySelector<HTMLElement>('a')

export function focusRow(row: HTMLElement | undefined, options?: FocusOptions): void {
  if (row) toFocusable(row)?.focus(options)
}
