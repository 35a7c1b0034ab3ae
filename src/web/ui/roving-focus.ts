import { useEffect } from 'react'
import { isTyping } from './use-shortcuts.ts'

/** Props of the element whose rows (table rows or list items) react to the keys of `useListKeys`. */
export const listKeys = { 'data-list': '' }

const ROWS = '[data-list] > tbody > tr, [data-list] > li'
const CHECKBOX = 'input[type=checkbox]'
/** Elements that act on Enter by themselves. */
const CONTROLS = 'a, button, input, select, textarea, summary, [tabindex]:not(li, tr, main, h1, h2)'

/**
 * Moves the focus through the rows of a page's lists with `j` and `k`, opens a row with Enter and selects it with `x`,
 * from wherever the focus is. Within a list, the arrow keys, Home and End also move the focus; the arrow keys work from
 * the page itself as well. While a row is open beside the list, these keys open the row below or above it instead.
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
  if (event.key === 'Enter' && target.matches(CONTROLS)) return
  // If no row has focus, keys act on the row that is open beside the list, or else on the first row.
  const open = rows.findIndex(row => row.querySelector('[aria-current=page]'))
  if (focused < 0 && !actsWithoutFocus(event.key, target, open >= 0 ? undefined : rows[0])) return
  const current = focused >= 0 ? focused : open
  const move = (step: 1 | -1) => {
    if (open >= 0) openRow(rows[open + step])
    else focusRow(rows[step > 0 ? current + 1 : Math.max(current - 1, 0)])
  }
  const row = rows[Math.max(current, 0)]
  if (!row) return
  const siblings = rows.filter(({ parentElement }) => parentElement === row.parentElement)
  const action = {
    j: () => move(1),
    ArrowDown: () => move(1),
    k: () => move(-1),
    ArrowUp: () => move(-1),
    Home: () => focusRow(siblings[0]),
    End: () => focusRow(siblings.at(-1)),
    Enter: () => openRow(row),
    x: () => {
      focusRow(row)
      row.querySelector<HTMLElement>(CHECKBOX)?.click()
    },
  }[event.key]
  if (!action) return
  event.preventDefault()
  action()
}

/** Reports whether a key acts while no row has focus. `first` is undefined while a row is open beside its list. */
function actsWithoutFocus(key: string, target: Element, first: HTMLElement | undefined): boolean {
  if (['j', 'k', 'x'].includes(key)) return true
  if (key === 'Enter') return first !== undefined
  // In all other cases, the arrow keys scroll the page.
  const isArrow = ['ArrowDown', 'ArrowUp'].includes(key) && target.matches('body, main, h1')
  return isArrow && first !== undefined && isInView(first)
}

const isInView = (element: HTMLElement): boolean => {
  const { top, bottom } = element.getBoundingClientRect()
  return top < innerHeight && bottom > 0
}

/** Returns the rows of the page's lists that can be focused. */
const getRows = (): HTMLElement[] =>
  [...document.querySelectorAll<HTMLElement>(ROWS)].filter(row => toFocusable(row) && row.checkVisibility())

/** Returns the row, or its link when the row can't take focus. */
const toFocusable = (row: HTMLElement): HTMLElement | null =>
  row.matches('[tabindex]') ? row : row.querySelector<HTMLElement>('a')

/** Focuses the first row of the page's lists; returns whether there is one. */
export function focusFirstRow(): boolean {
  const [first] = getRows()
  focusRow(first)
  return first !== undefined
}

const openRow = (row: HTMLElement | undefined): void => row?.querySelector('a')?.click()

export function focusRow(row: HTMLElement | undefined, options?: FocusOptions): void {
  if (row) toFocusable(row)?.focus(options)
}
